/**
 * A stretch of time that a backup lacks (epoch ms, above `after`, up to and with `upTo`): the newest message in it is of
 * `after`, and it was put back at `upTo`. What devices hold of between was acknowledged once, and is taken again.
 */
export interface LostSpan {
  after: number
  upTo: number
}

/** Was a message of this place (`orderedAt`) acknowledged by a server that has forgotten it? */
export function isInLostSpan(spans: readonly LostSpan[], orderedAt: number): boolean {
  return spans.some(({ after, upTo }) => orderedAt > after && orderedAt <= upTo)
}
