import { groupBy } from '../../schema/helpers/lists.ts'
import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import type { Relations } from '../access/relations.ts'
import type { Groups } from '../groups/groups.ts'
import { nameMessagesDatabase } from '../storage/documents/database-names.ts'
import type { Storage } from '../storage/storage.ts'
import type { Media } from './media.ts'
import { deriveServedId, parseMediaUrl } from './media-documents.ts'

/** A file by its upload's key, and the address where its message looks for it. */
interface AskedUpload {
  id: string
  mediaUrl: string
}

/**
 * After a restore: which of a person's uploads are missing and would get the address again that
 * their messages use? Only ever answers about their own, so it reveals nothing of others. Shares
 * existing ones again with the message's people, since the restore may have lost that too.
 */
export function createMissingUploads(options: {
  media: Pick<Media, 'findUploaded' | 'shareMedia'>
  storage: Storage
  relations: Pick<Relations, 'canReach'>
  /** Undefined while there are no groups. */
  groups: Pick<Groups, 'listFilesSent'> | undefined
}) {
  const { media, storage, relations, groups } = options

  function readCopies(ownerId: string, ids: readonly string[]) {
    return storage.database<MessageDocument>(nameMessagesDatabase(ownerId)).read(ids)
  }

  async function shareWithPeer(ownerId: string, peerId: string, own: readonly MessageDocument[]) {
    const reach = await relations.canReach(ownerId, peerId)
    const ids = own.map(({ _id }) => _id)
    const isReader = reach === 'delivered' || reach === 'held'
    const copies = isReader ? await readCopies(peerId, ids) : new Map<string, MessageDocument>()
    for (const { _id: messageId, mediaUrl } of own) {
      if (mediaUrl === undefined) continue
      const readers = copies.get(messageId)?.mediaUrl === mediaUrl ? { recipientId: peerId } : {}
      // Even if only its author has the message: otherwise the file would expire as orphaned.
      await media.shareMedia({ mediaUrl, messageId, senderId: ownerId, ...readers })
    }
  }

  async function shareAgain(ownerId: string, uploads: readonly AskedUpload[]) {
    const stored = await readCopies(
      ownerId,
      uploads.map(({ id }) => id),
    )
    const own = uploads.flatMap(({ id, mediaUrl }) => {
      const copy = stored.get(id)
      const isSent = copy?.senderId === ownerId && copy.mediaUrl === mediaUrl && isAccepted(copy)
      return isSent ? [copy] : []
    })
    const byPeer = groupBy(own, ({ peerId }) => peerId)
    const ids = uploads.map(({ id }) => id)
    for (const sent of (await groups?.listFilesSent(ownerId, ids)) ?? []) {
      const isAsked = uploads.some(({ mediaUrl }) => mediaUrl === sent.mediaUrl)
      if (isAsked) await media.shareMedia({ ...sent, senderId: ownerId })
    }
    await Promise.all(
      Array.from(byPeer, ([peerId, messages]) => shareWithPeer(ownerId, peerId, messages)),
    )
  }

  /** @returns the ids of those to upload again */
  return async (ownerId: string, asked: readonly AskedUpload[]): Promise<string[]> => {
    const own = asked.filter(
      ({ id, mediaUrl }) => parseMediaUrl(mediaUrl) === deriveServedId({ ownerId, key: id }),
    )
    const found = await Promise.all(
      own.map(async (upload) => ({
        upload,
        isThere: (await media.findUploaded({ ownerId, key: upload.id })) !== undefined,
      })),
    )
    await shareAgain(
      ownerId,
      found.flatMap(({ upload, isThere }) => (isThere ? [upload] : [])),
    )
    return found.flatMap(({ upload, isThere }) => (isThere ? [] : [upload.id]))
  }
}

export type FindMissingUploads = ReturnType<typeof createMissingUploads>
