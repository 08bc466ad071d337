import { idsFrom } from '../storage/documents/ids-from.ts'
import { type FileDocument, fileKey, isFile, orphanedKey, shareKey } from './media-documents.ts'
import type { MediaStore } from './media-store.ts'
import { parseMediaUrl } from './media-url.ts'

/**
 * A message with a file. `recipientId` is absent if the recipient does not get it, as when
 * blocking.
 */
export interface SharedMessage {
  mediaUrl: string
  messageId: string
  senderId: string
  recipientId?: string | undefined
}

/**
 * Tracks who shares a file: its owner, and everybody with a message that has it. Each message adds
 * a reference for each of its two people; a file without any is orphaned, and expires after a day.
 */
export function createMediaSharing(options: { mediaStore: MediaStore; now: () => number }) {
  const { mediaStore, now } = options
  const { database } = mediaStore

  async function hasReference(mediaId: string, userId = ''): Promise<boolean> {
    const start = userId ? `share:${mediaId}:${userId}:` : `share:${mediaId}:`
    return (await database.range({ ...idsFrom(start), limit: 1 })).length > 0
  }

  async function isSharedWith(file: FileDocument, userId: string): Promise<boolean> {
    return file.ownerId === userId || (await hasReference(file.mediaId, userId))
  }

  async function findShareable(mediaUrl: string, senderId: string) {
    const mediaId = parseMediaUrl(mediaUrl)
    const file = mediaId === undefined ? undefined : await mediaStore.findServed(mediaId)
    if (file?.state !== 'ready' || file.purpose !== 'message') return undefined
    return (await isSharedWith(file, senderId)) ? file : undefined
  }

  return {
    isSharedWith,

    /** May this person put the file into a message? Its owner and its recipients may. */
    async mayShare({ mediaUrl, senderId }: Pick<SharedMessage, 'mediaUrl' | 'senderId'>) {
      return (await findShareable(mediaUrl, senderId)) !== undefined
    },

    /**
     * Gives both people of a message access to its file; call before delivery. Idempotent.
     * @returns false when the sender may not share it, or it does not exist: refuse with
     * `media_not_allowed`
     */
    async shareMedia({ mediaUrl, messageId, senderId, recipientId }: SharedMessage) {
      const file = await findShareable(mediaUrl, senderId)
      if (!file) return false
      const { mediaId } = file
      const people = recipientId === undefined ? [senderId] : [senderId, recipientId]
      const references = people.map((userId) => ({
        _id: shareKey({ mediaId, userId, messageId }),
        mediaId,
      }))
      const mark = orphanedKey(file.looseSince ?? 0, mediaId)
      const ids = [file._id, mark, ...references.map(({ _id }) => _id)]
      const { result } = await database.update(ids, (stored) => {
        const current = stored.get(file._id)
        if (!isFile(current) || current.state !== 'ready') return { result: false }
        if (references.every(({ _id }) => stored.has(_id))) return { result: true }
        const { looseSince, ...rest } = current
        const shared = { ...rest, sharedAt: now() }
        const unmarked = stored.has(mark) ? [{ _id: mark, mediaId, _deleted: true as const }] : []
        return { put: [...references, ...unmarked, shared], result: true }
      })
      return result
    },

    /**
     * Revokes access to the file of a deleted message; call before blanking the copies. Another
     * message with the same file preserves access. Without any message left the file is orphaned.
     */
    async releaseMedia(message: {
      mediaUrl: string
      messageId: string
      userIds: readonly string[]
    }) {
      const { messageId, userIds } = message
      const servedId = parseMediaUrl(message.mediaUrl)
      const before = servedId === undefined ? undefined : await mediaStore.findServed(servedId)
      if (!before) return
      const { mediaId } = before
      const ids = userIds.map((userId) => shareKey({ mediaId, userId, messageId }))
      await database.update(ids, (stored) => ({
        put: [...stored.keys()].map((_id) => ({ _id, mediaId, _deleted: true as const })),
        result: undefined,
      }))
      if (before.looseSince !== undefined || (await hasReference(mediaId))) return
      const looseSince = now()
      const mark = { _id: orphanedKey(looseSince, mediaId), mediaId }
      await database.update([fileKey(mediaId), mark._id], (stored) => {
        const file = stored.get(fileKey(mediaId))
        // Shared again meanwhile: not orphaned.
        if (!isFile(file) || file.sharedAt !== before.sharedAt) return { result: undefined }
        return { put: [mark, { ...file, looseSince }], result: undefined }
      })
    },
  }
}
