import { limits } from '../../../schema/limits.ts'
import { refuse } from '../../../schema/refusal.ts'
import { changeMessage } from '../../database/commands/change-message.ts'
import type { MessageCollection } from '../../database/storage/open-database.ts'
import { fromStoredMessage, type StoredMessage } from '../../database/storage/stored-message.ts'

/** Far more than any message that a screen lets through, and less than what ends a whole request. */
const longestText = 4 * limits.messageMaxCharacters

/**
 * What leaves the device of a message: the replicated fields. One that is too large for any request would
 * stop every other with it, so it is refused here, as the server would: with its text and the reason (P6).
 */
export function toServerMessage(
  messages: MessageCollection,
  stored: StoredMessage,
  onError: (cause: unknown) => void,
): StoredMessage | null {
  const message = fromStoredMessage(stored)
  if (typeof message.content !== 'string' || message.content.length <= longestText) {
    // What replication compares and sends are these fields; the others are made anew on arrival.
    return message as StoredMessage
  }
  const { error, code } = refuse('too_long')
  changeMessage(messages, stored._id, (current) =>
    current.status === 'sending'
      ? { ...current, status: 'failed', error, errorCode: code }
      : current,
  ).catch(onError)
  return null
}
