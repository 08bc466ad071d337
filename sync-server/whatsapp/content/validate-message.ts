import { normaliseContent } from './normalise-content.ts'
import { messageContents, type OutgoingMessage, type OutgoingType } from './outgoing-message.ts'

/**
 * Checks a message against all known refusals of WhatsApp, before any request.
 * @param type as in `POST /webhooks/send`
 * @param given a text for `text`, else the object of that type; buttons may be written as `{id?,
 * title}`
 * @returns the message to send, or a sentence for its author
 */
export function validateMessage(
  type: string,
  given: unknown,
): { message: OutgoingMessage } | { refusal: string } {
  if (!isKnownType(type)) return { refusal: 'WhatsApp messages of this kind cannot be sent.' }
  const read = messageContents[type].safeParse(normaliseContent(type, given))
  if (!read.success) {
    const [issue] = read.error.issues
    return { refusal: `${issue?.message ?? 'The message is not complete'}.` }
  }
  return { message: { type, content: read.data } as OutgoingMessage }
}

function isKnownType(type: string): type is OutgoingType {
  return Object.hasOwn(messageContents, type)
}
