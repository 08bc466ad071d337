/** Where messages lie that have yet to leave over a business channel. */
export const outboxDatabase = 'whatsapp-outbox'

/**
 * A message on its way out. It is stored with the message itself, and is there until it is known what became of it.
 * `due`: to be sent from `dueAt` on. `sending`: a call is under way, or was when a server crashed. `unknown`: it may
 * have been taken, and must not be sent again. Times are epoch ms.
 */
export interface OutboxEntry {
  /** The owner, the message and its attempt. */
  _id: string
  ownerId: string
  contactId: string
  messageId: string
  attempt: number
  /** The message's place: what is for one person leaves in this order. */
  orderedAt: number
  state: 'due' | 'sending' | 'unknown'
  dueAt: number
  /** How often it was tried. */
  tries: number
  /** Since when it is in its state. */
  since: number
}

/** Also what comes back with every status: it says whose message it is about. */
export function outboxEntryKey(entry: {
  ownerId: string
  messageId: string
  attempt: number
}): string {
  return `${entry.messageId}.${entry.attempt}.${entry.ownerId}`
}

/** The parts of such a name; undefined for what is none. */
export function parseOutboxEntryKey(name: string) {
  const [, messageId, attempt, ownerId] =
    /^([0-9a-f-]{36})\.(\d{1,7})\.([0-9a-f-]{36})$/.exec(name) ?? []
  if (!messageId || !attempt || !ownerId) return undefined
  return { messageId, attempt: Number(attempt), ownerId }
}
