import type { MessageDocument } from '../../../schema/message.ts'
import { changeDocument } from '../storage/change-document.ts'
import type { MessageCollection } from '../storage/collections.ts'
import { fromStoredMessage, toStoredMessage } from '../storage/stored-message.ts'

/**
 * Changes one message on this device; returning the input writes nothing. Ignores a missing
 * message.
 */
export async function changeMessage(
  messages: MessageCollection,
  id: string,
  change: (message: MessageDocument) => MessageDocument,
): Promise<void> {
  await changeDocument(messages, id, (stored) => {
    const message = fromStoredMessage(stored)
    const next = change(message)
    return next === message ? stored : toStoredMessage(next)
  })
}

/** A register's time for a change made now: later than the stored time, so that the change wins. */
export function laterThan(now: number, ...times: (number | undefined)[]): number {
  return Math.max(now, ...times.map((time) => (time ?? -1) + 1))
}
