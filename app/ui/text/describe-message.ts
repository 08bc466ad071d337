import type { MessageDocument, MessageType } from '../../../schema/message.ts'
import { formatDuration } from '../format/format-duration.ts'
import { stripStyles } from './strip-styles.ts'

type Described = Pick<MessageDocument, 'type' | 'content' | 'deletedAt' | 'template' | 'file'>

/** The one-line description of a message in a list, a quote or a notification. */
export function describeMessage(message: Described): string {
  if (message.deletedAt !== undefined) return 'This message was deleted'
  const words = stripStyles(message.content).replace(/\s+/g, ' ').trim()
  if (words !== '') return words
  const voice = message.file?.voice
  if (voice) return `Voice message (${formatDuration(voice.durationMs)})`
  return nameMessageType(message) ?? 'Message'
}

/**
 * The label of a message that is not plain text; undefined for text.
 * Source: decision 61, section 2.
 */
export function nameMessageType(message: Pick<Described, 'type' | 'template'>): string | undefined {
  switch (message.type) {
    case 'text':
      return undefined
    case 'template':
      return `Template: ${readTemplateName(message.template)}`
    case 'interactive':
      return 'Interactive Message'
    default:
      return capitalise(message.type)
  }
}

function readTemplateName(template: unknown): string {
  if (typeof template !== 'object' || template === null || !('name' in template)) return 'unnamed'
  return String(template.name)
}

function capitalise(type: MessageType): string {
  return type.charAt(0).toUpperCase() + type.slice(1)
}
