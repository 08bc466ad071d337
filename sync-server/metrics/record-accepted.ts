import type { Accepted } from '../messages/acceptance/acceptance-listener.ts'
import type { Metrics } from './metrics.ts'

/** Counts what went through the one way in (P4): batch sizes, and refusals by reason. */
export function recordAccepted(
  metrics: Metrics,
  collection: 'messages' | 'conversations',
  { proposals, outcomes }: Pick<Accepted<unknown>, 'proposals' | 'outcomes'>,
): void {
  if (proposals.length > 0) metrics.recordBatch(collection, proposals.length)
  for (const outcome of outcomes) {
    if (outcome.kind !== 'stored' || !outcome.refusal) continue
    metrics.recordRefusal(collection, outcome.refusal.code)
  }
}
