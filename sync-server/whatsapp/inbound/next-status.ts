/** The states of a message from a business. */
export type DeliveryStatus = 'sending' | 'sent' | 'delivered' | 'read' | 'failed'
type IncomingStatus = 'sent' | 'delivered' | 'read' | 'failed'

/** A status's effect. `stale` only enters the history. */
export type StatusEffect = 'advances' | 'heals' | 'fails' | 'keeps error' | 'stale'

/**
 * How a webhook's status changes a message's: never backwards. A failure only replaces an
 * undelivered status; delivery after a failure heals it. Ignores times: whole seconds are often
 * equal.
 */
export function nextStatus(
  current: DeliveryStatus,
  incoming: IncomingStatus,
): { status: DeliveryStatus; effect: StatusEffect } {
  if (incoming === 'failed') {
    if (current === 'failed') return { status: current, effect: 'keeps error' }
    const hasArrived = current === 'delivered' || current === 'read'
    return hasArrived ? { status: current, effect: 'stale' } : { status: 'failed', effect: 'fails' }
  }
  if (current === 'failed') {
    return incoming === 'sent'
      ? { status: current, effect: 'stale' }
      : { status: incoming, effect: 'heals' }
  }
  return rank[incoming] > rank[current]
    ? { status: incoming, effect: 'advances' }
    : { status: current, effect: 'stale' }
}

const rank = { sending: 0, sent: 1, delivered: 2, read: 3 } as const

/** The status of a webhook's word; null for an unknown one. */
export function readStatusWord(word: string): IncomingStatus | null {
  if (word === 'played') return 'read'
  return word === 'sent' || word === 'delivered' || word === 'read' || word === 'failed'
    ? word
    : null
}
