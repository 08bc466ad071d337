import { isBlank } from '../../../schema/helpers/is-blank.ts'
import { isUploadOwed, type MessageDocument } from '../../../schema/message.ts'
import type { ForwardedFile } from './send-message.ts'

/** Is there something to forward? A file that is not uploaded yet is on its author's device only. */
export function canForward(message: MessageDocument): boolean {
  if (message.deletedAt !== undefined || isUploadOwed(message)) return false
  return pickFile(message) !== undefined || !isBlank(message.content)
}

/** The messages that can be forwarded, oldest first. */
export function listForwardable(messages: readonly MessageDocument[]): MessageDocument[] {
  return messages.filter(canForward).toSorted((a, b) => a.orderedAt - b.orderedAt)
}

/** A template and an interactive message belong to the business channel: their text is forwarded. */
export function pickFile({ type, mediaUrl, file }: MessageDocument): ForwardedFile | undefined {
  const isOfChannel = type === 'template' || type === 'interactive'
  if (mediaUrl === undefined || isOfChannel) return undefined
  return { type, mediaUrl, ...(file && { file }) }
}
