/** The database of messages to send over a business channel. */
export const outboxDatabase = 'whatsapp-outbox'

/**
 * An outgoing message, stored with the message itself and kept until its outcome is known. `due`:
 * send from `dueAt` on. `sending`: a call is running, or ran when a server crashed. `unknown`: it
 * may have been accepted, so never resend. Times are epoch ms.
 */
export interface OutboxEntry {
  /** The owner, the message and its attempt. */
  _id: string
  ownerId: string
  contactId: string
  messageId: string
  attempt: number
  /** The message's place: messages to one person go out in this order. */
  orderedAt: number
  state: 'due' | 'sending' | 'unknown'
  dueAt: number
  /** How many tries so far. */
  tries: number
  /** When it entered its state. */
  since: number
}

/** Also sent to the provider and returned with every status: identifies the message. */
export function outboxEntryKey(entry: {
  ownerId: string
  messageId: string
  attempt: number
}): string {
  return `${entry.messageId}.${entry.attempt}.${entry.ownerId}`
}

/** The parts of such a name; undefined for anything else. */
export function parseOutboxEntryKey(name: string) {
  const [, messageId, attempt, ownerId] =
    /^([0-9a-f-]{36})\.(\d{1,7})\.([0-9a-f-]{36})$/.exec(name) ?? []
  if (!messageId || !attempt || !ownerId) return undefined
  return { messageId, attempt: Number(attempt), ownerId }
}
