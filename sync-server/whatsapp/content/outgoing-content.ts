import type { MessageDocument } from '../../../schema/message.ts'
import { templatePayload } from '../../../schema/whatsapp-payload.ts'
import type { OutgoingMessage } from './outgoing-message.ts'
import { validateMessage } from './validate-message.ts'

const fileTypes = ['image', 'video', 'audio', 'document'] as const

/**
 * A message in WhatsApp's form, or a sentence for its author.
 * @param mediaId WhatsApp's id of the file of `mediaUrl`, if any
 */
export function readOutgoing(
  message: MessageDocument,
  mediaId: string | undefined,
): { message: OutgoingMessage } | { refusal: string } {
  const { type, given } = describe(message, mediaId)
  return validateMessage(type, given)
}

function describe(message: MessageDocument, mediaId: string | undefined) {
  const { type, content, interactive, location, contacts, template } = message
  if (type === 'template') return { type, given: describeTemplate(template) }
  if (type === 'interactive') return { type, given: interactive }
  if (location !== undefined) return { type: 'location', given: location }
  if (contacts !== undefined) return { type: 'contacts', given: contacts }
  const fileType = fileTypes.find((one) => one === type)
  const link = message.media?.link
  if (!fileType || (mediaId === undefined && link === undefined)) {
    return { type: 'text', given: content }
  }
  const source = mediaId === undefined ? { link } : { id: mediaId }
  const hasCaption = fileType !== 'audio' && content !== ''
  const filename = message.media?.filename
  return {
    type: fileType,
    given: {
      ...source,
      ...(hasCaption && content !== filename && { caption: content }),
      ...(fileType === 'document' && filename !== undefined && { filename }),
    },
  }
}

function describeTemplate(template: unknown) {
  const read = templatePayload.safeParse(template)
  if (!read.success) return undefined
  const { name, data } = read.data
  const { language, components } = data
  return { name, language: { code: language }, ...(components && { components }) }
}
