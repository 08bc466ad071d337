import {
  type FileDocument,
  fileKey,
  idsFrom,
  isFile,
  orphanedKey,
  ownedKey,
} from './media-documents.ts'
import type { MediaStore } from './media-store.ts'
import { parseMediaUrl } from './media-url.ts'

/** Keeps one profile picture of each person: the one that their record names. */
export function createPictures(options: {
  shelf: MediaStore
  readPicture: (userId: string) => Promise<string | null | undefined>
}) {
  const { shelf, readPicture } = options
  const { database } = shelf

  async function readCurrent(userId: string): Promise<string | undefined> {
    return parseMediaUrl((await readPicture(userId)) ?? '')
  }

  async function unmark(mediaId: string): Promise<void> {
    const file = await shelf.find(mediaId)
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

  /** To be called when a person's record names another picture: keeps that one, and takes the earlier ones away. */
  async function settlePictures(ownerId: string): Promise<void> {
    const named = await readCurrent(ownerId)
    if (named) await unmark(named)
    const prefix = ownedKey({ ownerId, purpose: 'picture', mediaId: '' })
    const owned = await database.range(idsFrom(prefix))
    const files = await database.read(owned.map(({ mediaId }) => fileKey(mediaId)))
    // Read once more: another of their devices may have named one of these meanwhile.
    const current = await readCurrent(ownerId)
    for (const file of files.values()) {
      // A loose one is still coming in, or waits for its place in the record; the sweep looks after it.
      if (!isFile(file) || file.mediaId === current || file.looseSince !== undefined) continue
      await shelf.remove(file.mediaId)
    }
  }

  return {
    settlePictures,

    /** For a loose picture: true when its owner's record names it after all, and then it stays. */
    async keepPicture({ ownerId, mediaId }: FileDocument): Promise<boolean> {
      if ((await readCurrent(ownerId)) !== mediaId) return false
      await settlePictures(ownerId)
      return true
    },
  }
}
