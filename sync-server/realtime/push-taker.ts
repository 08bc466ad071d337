import { randomUUID } from 'node:crypto'
import { apiErrors } from '../../schema/api/api-error.ts'
import type { ClientEvent, ServerEvent } from '../../schema/api/socket-events.ts'
import type { Caller } from '../access/token-keeper.ts'
import type { Log } from '../lib/log.ts'
import type { Connection } from './connections.ts'
import { createFrameBudgets } from './frame-budgets.ts'

type Asked = Extract<ClientEvent, { event: 'push-documents' }>['data']
type Answered = Extract<ServerEvent, { event: 'push-answered' }>['data']

/** Pushes documents in the caller's name. Never throws: errors are answers, too. */
export type AnswerPush = (
  caller: Caller,
  asked: Pick<Asked, 'database' | 'docs'>,
) => Promise<{
  status: number
  body: unknown
  epoch: string | undefined
  retryAfterSeconds: number | undefined
}>

export type PushTaker = ReturnType<typeof createPushTaker>

/** A device has two databases, and pushes to each in sequence. */
const unansweredMost = 4

const tooMany = {
  status: 429,
  body: { error: 'too_many_requests', reason: apiErrors.too_many_at_once.error },
  epoch: undefined,
  retryAfterSeconds: 1,
}

/**
 * Takes documents that devices push over their lines. Too many are answered, like follows, and end
 * no connection; an answer that finds the line full is lost, and the device asks by HTTP (P7).
 * Each push is a line of the log, like a request.
 * @param recordActive called with each person who pushes, as the doorman does for requests
 */
export function createPushTaker(options: {
  answerPush: AnswerPush
  recordActive: (userId: string) => void
  log: Pick<Log, 'info'>
}) {
  const { answerPush, recordActive, log } = options
  const budgets = createFrameBudgets()
  const unanswered = new WeakMap<Connection, number>()
  const state = { taken: 0 }

  function tell(connection: Connection, event: ServerEvent): boolean {
    return connection.send(JSON.stringify(event))
  }

  async function answer(connection: Connection, asked: Asked) {
    const { userId } = connection.caller
    const open = unanswered.get(connection) ?? 0
    if (open >= unansweredMost || !budgets.takeFrame(userId)) return tooMany
    unanswered.set(connection, open + 1)
    recordActive(userId)
    state.taken += 1
    try {
      return await answerPush(connection.caller, asked)
    } finally {
      unanswered.set(connection, (unanswered.get(connection) ?? 1) - 1)
    }
  }

  return {
    /** Tells a new device that understands it. */
    welcome(connection: Connection) {
      if (!connection.hasLine || !connection.understands.includes('pushes')) return
      tell(connection, { event: 'pushes-taken', data: true })
    },
    async take(connection: Connection, asked: Asked) {
      if (!connection.hasLine) return
      const startedAt = performance.now()
      const answered: Answered = {
        id: asked.id,
        ...(await answer(connection, asked)),
        now: Date.now(),
      }
      const isAnswered = tell(connection, { event: 'push-answered', data: answered })
      // Only a database that was found has an epoch: any other name is the caller's own words.
      const isFound = answered.epoch !== undefined
      log.info({
        requestId: randomUUID(),
        method: 'PUSH',
        route: isFound ? `/sync/${asked.database}/_bulk_docs` : 'none',
        status: answered.status,
        isAnswered,
        userId: connection.caller.userId,
        ms: Math.round(performance.now() - startedAt),
      })
    },
    /** Pushes since the start that were not refused as too many. */
    countTaken: () => state.taken,
  }
}
