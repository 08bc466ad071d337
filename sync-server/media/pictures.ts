import { idsFrom } from '../storage/documents/ids-from.ts'
import { type FileDocument, fileKey, isFile, orphanedKey, ownedKey } from './media-documents.ts'
import type { MediaStore } from './media-store.ts'
import { parseMediaUrl } from './media-url.ts'

/** Keeps one profile picture for each person: the one in their account. */
export function createPictures(options: {
  mediaStore: MediaStore
  readPicture: (userId: string) => Promise<string | null | undefined>
}) {
  const { mediaStore, readPicture } = options
  const { database } = mediaStore

  async function readCurrent(userId: string): Promise<string | undefined> {
    return parseMediaUrl((await readPicture(userId)) ?? '')
  }

  async function unmark(mediaId: string): Promise<void> {
    const file = await mediaStore.find(mediaId)
    if (file?.looseSince === undefined) return
    const mark = orphanedKey(file.looseSince, mediaId)
    await database.update([file._id, mark], (stored) => {
      const current = stored.get(file._id)
      if (!isFile(current) || current.state !== 'ready') return { result: undefined }
      const { looseSince, ...kept } = current
      const marks = stored.has(mark) ? [{ _id: mark, mediaId, _deleted: true as const }] : []
      return { put: [kept, ...marks], result: undefined }
    })
  }

  /**
   * Call when a person's account names another picture: keeps that one, and removes earlier ones.
   */
  async function settlePictures(ownerId: string): Promise<void> {
    const named = await readCurrent(ownerId)
    if (named) await unmark(named)
    const prefix = ownedKey({ ownerId, purpose: 'picture', mediaId: '' })
    const owned = await database.range(idsFrom(prefix))
    const files = await database.read(owned.map(({ mediaId }) => fileKey(mediaId)))
    // Read it again: another of their devices may have chosen one of these meanwhile.
    const current = await readCurrent(ownerId)
    for (const file of files.values()) {
      // An orphaned one is still uploading, or not in the account yet; the sweep handles it.
      if (!isFile(file) || file.mediaId === current || file.looseSince !== undefined) continue
      await mediaStore.remove(file.mediaId)
    }
  }

  return {
    settlePictures,

    /**
     * For an orphaned picture: true, and no longer orphaned, when its owner's account names it after
     * all.
     */
    async keepPicture({ ownerId, mediaId }: FileDocument): Promise<boolean> {
      if ((await readCurrent(ownerId)) !== mediaId) return false
      await settlePictures(ownerId)
      return true
    },
  }
}
