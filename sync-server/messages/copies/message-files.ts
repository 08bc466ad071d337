import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import type { MessageDraft } from '../proposals/message-draft.ts'

/** Controls who may see a message's file, while the message has it. */
export interface MessageFiles {
  /** @returns false when the sender may not share this file, or it does not exist */
  shareMedia(message: {
    mediaUrl: string
    messageId: string
    senderId: string
    recipientId?: string
    /** Of a message in a group, in place of its recipient. */
    groupId?: string
  }): Promise<boolean>
  releaseMedia(message: {
    mediaUrl: string
    messageId: string
    userIds?: readonly string[]
    groupId?: string
  }): Promise<void>
}

/** Without files, every message with one is refused. */
export const noFiles: MessageFiles = {
  shareMedia: async () => false,
  releaseMedia: async () => undefined,
}

/**
 * Gives the recipients of new messages access to their files, before any copy is written; revokes
 * the files of deleted messages.
 * @returns by id, for each new message with a file: may its sender share it?
 */
export async function shareFiles(
  files: MessageFiles,
  drafts: readonly MessageDraft[],
): Promise<Map<string, boolean>> {
  const verdicts = await Promise.all(
    drafts.map(async ({ stored, next, effect, reach }) => {
      if (!next) return []
      const isGone = next.deletedAt !== undefined && stored?.deletedAt === undefined
      // A never accepted message does not prove that its id is its author's.
      if (effect === 'amend' && isGone && isAccepted(next)) await releaseFile(files, stored)
      if (effect !== 'deliver' || next.mediaUrl === undefined) return []
      const { _id: messageId, mediaUrl, senderId, recipientId } = next
      const readers = reach === 'delivered' ? { recipientId } : {}
      const isShared = await files.shareMedia({ mediaUrl, messageId, senderId, ...readers })
      return [[messageId, isShared] as const]
    }),
  )
  return new Map(verdicts.flat())
}

/** Revokes both people's access to a message's file. */
export async function releaseFile(
  files: MessageFiles,
  message: MessageDocument | undefined,
): Promise<void> {
  if (message?.mediaUrl === undefined) return
  const { _id: messageId, mediaUrl, senderId, recipientId } = message
  await files.releaseMedia({ mediaUrl, messageId, userIds: [senderId, recipientId] })
}
