import { blankDeleted } from '../../../schema/blank-deleted.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { nameMessagesDatabase } from '../../storage/databases/database-names.ts'
import type { Storage } from '../../storage/storage.ts'
import type { MessageFiles } from '../copies/message-files.ts'
import { toDeletionDigest } from '../digests/digest-documents.ts'
import { recordDigests } from '../digests/record-digests.ts'

/**
 * Blanks a reader's copies of messages that their author deleted, and revokes both people's access
 * to their files.
 * @param deletions when each was deleted, epoch ms, by message id; skips those without a reader's
 * copy
 * @returns the reader's resulting copies
 */
export async function takeBackWords(options: {
  storage: Storage
  files: MessageFiles
  authorId: string
  readerId: string
  deletions: ReadonlyMap<string, number>
}): Promise<Map<string, MessageDocument>> {
  const { storage, files, authorId, readerId, deletions } = options
  const isTheirs = ({ senderId, recipientId }: MessageDocument) =>
    senderId === authorId && recipientId === readerId
  const copies = storage.database<MessageDocument>(nameMessagesDatabase(readerId))
  const found = [...(await copies.read([...deletions.keys()])).values()].filter(isTheirs)
  if (found.length === 0) return new Map()
  for (const { _id: messageId, mediaUrl } of found) {
    const userIds = [authorId, readerId]
    if (mediaUrl !== undefined) await files.releaseMedia({ mediaUrl, messageId, userIds })
  }
  await recordDigests(storage, found.map(toDeletionDigest))
  const ids = found.map(({ _id }) => _id)
  const { result } = await copies.update(ids, (stored) => {
    const put = [...stored.values()].filter(isTheirs).map((copy) => {
      const deletedAt = copy.deletedAt ?? deletions.get(copy._id)
      return deletedAt === undefined ? copy : blankDeleted({ ...copy, deletedAt })
    })
    return { put, result: put }
  })
  return new Map(result.map((copy) => [copy._id, copy]))
}
