/**
 * A span that a backup lacks (epoch ms, above `after`, up to and including `upTo`): the backup's
 * newest message is at `after`, the restore happened at `upTo`. The server acknowledged what
 * devices hold from that span once, and accepts it again.
 */
export interface LostSpan {
  after: number
  upTo: number
}

/** Did a server that has since forgotten it acknowledge a message at this place (`orderedAt`)? */
export function isInLostSpan(spans: readonly LostSpan[], orderedAt: number): boolean {
  return spans.some(({ after, upTo }) => orderedAt > after && orderedAt <= upTo)
}
