import { isSticker, type MessageDocument } from '../../../schema/message.ts'
import { splitLinks } from '../../ui/text/split-links.ts'

/** The kinds of a chat's media page, as named in its URLs. */
export type MessageKind = 'media' | 'files' | 'links'

/**
 * Whether a message is of each kind. A sticker is drawn like an emoji, and does not count as a
 * picture.
 */
export const messageKinds: Record<MessageKind, (message: MessageDocument) => boolean> = {
  media: (message) =>
    hasFile(message) &&
    !isSticker(message) &&
    (message.type === 'image' || message.type === 'video'),
  files: (message) => hasFile(message) && (message.type === 'document' || message.type === 'audio'),
  links: ({ content }) => splitLinks(content).some(({ href }) => href !== undefined),
}

function hasFile({ file, mediaUrl }: MessageDocument): boolean {
  return file !== undefined || mediaUrl !== undefined
}
