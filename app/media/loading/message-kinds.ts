import type { MessageDocument } from '../../../schema/message.ts'
import { splitLinks } from '../../ui/text/split-links.ts'

/** What the views of a chat's contents are called in their addresses. */
export type MessageKind = 'media' | 'files' | 'links'

/** Whether a message belongs to each of them. A sticker is drawn like an emoji, and is no picture to look through. */
export const messageKinds: Record<MessageKind, (message: MessageDocument) => boolean> = {
  media: (message) =>
    hasFile(message) &&
    !message.isSticker &&
    (message.type === 'image' || message.type === 'video'),
  files: (message) => hasFile(message) && (message.type === 'document' || message.type === 'audio'),
  links: ({ content }) => splitLinks(content).some(({ href }) => href !== undefined),
}

function hasFile({ file, mediaUrl }: MessageDocument): boolean {
  return file !== undefined || mediaUrl !== undefined
}
