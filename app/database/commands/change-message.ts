import type { MessageDocument } from '../../../schema/message.ts'
import type { MessageCollection } from '../storage/open-database.ts'
import { fromStoredMessage, toStoredMessage } from '../storage/stored-message.ts'
import { changeDocument } from './change-document.ts'

/** Changes one message on this device; returning what it was given writes nothing. A missing one is ignored. */
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

/** A register's time for a change made now: later than what is there, so that the change wins. */
export function laterThan(now: number, ...times: (number | undefined)[]): number {
  return Math.max(now, ...times.map((time) => (time ?? -1) + 1))
}
