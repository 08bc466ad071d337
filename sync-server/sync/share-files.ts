import { failMessage } from '../../schema/decide-message.ts'
import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import { refuse } from '../../schema/refusal.ts'
import type { MessageDraft } from './draft-message.ts'

/** Who may see the file of a message, for as long as the message has it. */
export interface MessageFiles {
  /** @returns false when the sender may not share this file, or it is not there */
  shareMedia(message: {
    mediaUrl: string
    messageId: string
    senderId: string
    recipientId?: string
  }): Promise<boolean>
  releaseMedia(message: {
    mediaUrl: string
    messageId: string
    userIds: readonly string[]
  }): Promise<void>
}

/** Where no file is, every message with one is refused. */
export const noFiles: MessageFiles = {
  shareMedia: async () => false,
  releaseMedia: async () => undefined,
}

/**
 * Lets the recipients of new messages see their files, before a copy is written; takes the files of deleted ones away.
 * @returns the drafts as they are now: refused where the file is not the sender's to share
 */
export async function shareFiles(options: {
  files: MessageFiles
  actorId: string
  drafts: readonly MessageDraft[]
  now: number
}): Promise<MessageDraft[]> {
  const { files, actorId, drafts, now } = options
  return await Promise.all(
    drafts.map(async (draft) => {
      const { stored, next, effect, reach } = draft
      if (!next) return draft
      const isGone = next.deletedAt !== undefined && stored?.deletedAt === undefined
      // Of a message that was never taken, nothing says that its id is its author's.
      if (effect === 'amend' && isGone && isAccepted(next)) await release(files, stored)
      if (effect !== 'deliver' || next.mediaUrl === undefined) return draft
      const { _id: messageId, mediaUrl, senderId, recipientId } = next
      const readers = reach === 'delivered' ? { recipientId } : {}
      if (await files.shareMedia({ mediaUrl, messageId, senderId, ...readers })) return draft
      const refusal = refuse('media_not_allowed')
      const failed = failMessage({ actorId, stored, proposed: next, refusal, now })
      return { ...draft, next: failed, refusal, effect: 'own' }
    }),
  )
}

async function release(files: MessageFiles, stored: MessageDocument | undefined): Promise<void> {
  if (stored?.mediaUrl === undefined) return
  const { _id: messageId, mediaUrl, senderId, recipientId } = stored
  await files.releaseMedia({ mediaUrl, messageId, userIds: [senderId, recipientId] })
}
