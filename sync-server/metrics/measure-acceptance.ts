import type { Acceptance } from '../messages/acceptance.ts'
import type { Metrics } from './metrics.ts'

type Accept<Name extends keyof Acceptors> = Acceptors[Name]
type Acceptors = Pick<Acceptance, 'acceptMessages' | 'acceptConversations'>

/** Counts what enters the one way in (P4): batch sizes, and refusals by reason. */
export function measureAcceptance<Whole extends Acceptors>(options: {
  acceptance: Whole
  metrics: Metrics
}): Whole {
  const { acceptance, metrics } = options
  const acceptMessages: Accept<'acceptMessages'> = async (request) => {
    noteBatch('messages', request.proposals)
    const outcomes = await acceptance.acceptMessages(request)
    noteRefusals('messages', outcomes)
    return outcomes
  }
  const acceptConversations: Accept<'acceptConversations'> = async (request) => {
    noteBatch('conversations', request.proposals)
    const outcomes = await acceptance.acceptConversations(request)
    noteRefusals('conversations', outcomes)
    return outcomes
  }

  function noteBatch(collection: string, proposals: readonly unknown[]) {
    if (proposals.length > 0) metrics.recordBatch(collection, proposals.length)
  }

  function noteRefusals(door: string, outcomes: Awaited<ReturnType<Accept<keyof Acceptors>>>) {
    for (const outcome of outcomes) {
      if (outcome.kind === 'stored' && outcome.refusal) {
        metrics.recordRefusal(door, outcome.refusal.code)
      }
    }
  }

  return { ...acceptance, acceptMessages, acceptConversations }
}
