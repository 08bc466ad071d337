import { limits } from '../../../schema/limits.ts'
import { refuse } from '../../../schema/refusal.ts'
import { changeMessage } from '../../database/commands/change-message.ts'
import type { MessageCollection } from '../../database/storage/collections.ts'
import { fromStoredMessage, type StoredMessage } from '../../database/storage/stored-message.ts'

/** Far more than any message a screen accepts, and less than the limit of a whole request. */
const longestText = 4 * limits.messageMaxCharacters

/**
 * The part of a message that leaves the device: the replicated fields. One too large for any
 * request would stop all others, so this refuses it here as the server would: with its text and the
 * reason (P6).
 */
export function toServerMessage(
  messages: MessageCollection,
  stored: StoredMessage,
  onError: (cause: unknown) => void,
): StoredMessage | null {
  const message = fromStoredMessage(stored)
  if (typeof message.content !== 'string' || message.content.length <= longestText) {
    // Replication compares and sends these fields; arrival recomputes the others.
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
