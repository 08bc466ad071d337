import { unreachable } from '../../../schema/helpers/assertions.ts'
import type { MessageType } from '../../../schema/message.ts'
import { findKnownError } from '../client/provider-errors.ts'
import type { InboundContent } from './inbound-content.ts'

/** The message document's fields from a customer's content. */
export interface InboundFields {
  type: MessageType
  content: string
  isSticker?: true
  location?: Record<string, unknown>
  contacts?: Record<string, unknown>[]
  button?: { payload: string; text: string }
  list_reply?: { id: string; title: string; description?: string }
  interactive?: Record<string, unknown>
}

const notSupported = 'This message type is not supported'
/** A file that WhatsApp could not fetch, as one that is too large, and a message it withholds. */
const unavailable = [131052, 131060]

/**
 * The display and storage fields; null for what is no message of its own: a reaction, an edit, a
 * withdrawal.
 */
export function presentInbound(content: InboundContent): InboundFields | null {
  switch (content.kind) {
    case 'text':
      return { type: 'text', content: content.body }
    case 'file':
      return presentFile(content)
    case 'location': {
      const { latitude, longitude, name, address } = content
      const named = [name, address].filter(Boolean).join(', ')
      return {
        type: 'text',
        content: named || `${latitude}, ${longitude}`,
        location: { latitude, longitude, ...(name && { name }), ...(address && { address }) },
      }
    }
    case 'contacts': {
      const { contacts } = content
      return { type: 'text', content: contacts.map(nameContact).join(', '), contacts }
    }
    case 'button': {
      const { payload, text } = content
      return { type: 'text', content: text, button: { payload, text } }
    }
    case 'button_reply': {
      const { id, title } = content
      return {
        type: 'interactive',
        content: title,
        button: { payload: id, text: title },
        interactive: { type: 'button_reply', button_reply: { id, title } },
      }
    }
    case 'list_reply': {
      const { id, title, description } = content
      const list_reply = { id, title, ...(description !== null && { description }) }
      const interactive = { type: 'list_reply', list_reply }
      return { type: 'interactive', content: title, list_reply, interactive }
    }
    case 'order':
      return {
        type: 'text',
        content: `Order: ${content.itemCount} ${content.itemCount === 1 ? 'item' : 'items'}`,
      }
    case 'system':
      return { type: 'text', content: content.body }
    case 'unsupported':
      return { type: 'text', content: describeUnsupported(content.errorCode) }
    case 'reaction':
    case 'edit':
    case 'revoke':
      return null
    default:
      return unreachable(content)
  }
}

function presentFile({
  fileType,
  caption,
  filename,
}: Extract<InboundContent, { kind: 'file' }>): InboundFields {
  if (fileType === 'sticker') return { type: 'image', content: '', isSticker: true }
  if (fileType === 'document') return { type: 'document', content: caption ?? filename ?? '' }
  return { type: fileType, content: fileType === 'audio' ? '' : (caption ?? '') }
}

function describeUnsupported(code: number | null): string {
  return code !== null && unavailable.includes(code) ? findKnownError(code).words : notSupported
}

function nameContact(contact: Record<string, unknown>): string {
  const { name } = contact as { name?: { formatted_name?: unknown } }
  return typeof name?.formatted_name === 'string' ? name.formatted_name : 'Contact'
}
