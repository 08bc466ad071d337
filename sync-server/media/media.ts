import type { Privacy } from '../access/privacy/privacy.ts'
import { idsFrom } from '../storage/documents/ids-from.ts'
import type { Storage } from '../storage/storage.ts'
import { type FileDocument, fileKey, isFile } from './media-documents.ts'
import { createMediaSharing } from './media-sharing.ts'
import { type ArrivingFile, createMediaStore } from './media-store.ts'
import { createMediaSweep, type InTurn } from './media-sweep.ts'
import { parseMediaUrl } from './media-url.ts'
import { createPictures } from './pictures.ts'
import { type ArrivingPart, createUnfinishedUploads } from './unfinished-uploads.ts'

export type Media = ReturnType<typeof createMedia>

/**
 * Uploaded files: who may see and forward them, and when they expire.
 * @param readPicture the address in a person's account; undefined or null when there is none
 * @param isShared other servers use the same database
 * @param inTurn how the sweep yields to requests; without it, runs at once
 * @param onFilesChanged called with the owner whose usage changed
 * @param onError called with failures in the background
 */
export function createMedia(options: {
  storage: Storage
  privacy: Pick<Privacy, 'showsPicture'>
  readPicture: (userId: string) => Promise<string | null | undefined>
  isShared: boolean
  inTurn?: InTurn
  onFilesChanged?: (ownerId: string) => void
  onError: (error: unknown) => void
  now?: () => number
}) {
  const { storage, privacy, readPicture, isShared, onError, now = Date.now } = options
  const { inTurn = (step) => step(), onFilesChanged = () => undefined } = options
  const mediaStore = createMediaStore({ storage, now, onFilesChanged, onError })
  const unfinished = createUnfinishedUploads({ mediaStore, now, onFilesChanged })
  const sharing = createMediaSharing({ mediaStore, now })
  const pictures = createPictures({ mediaStore, readPicture })
  const { keepPicture } = pictures
  const sweeper = createMediaSweep({
    mediaStore,
    isAlone: !isShared,
    now,
    inTurn,
    keepPicture,
    onError,
  })
  const arriving = new Set<Promise<unknown>>()

  /** Tracked, so that closing waits: nothing may be written once the storage is closed. */
  async function track<Result>(storing: Promise<Result>): Promise<Result> {
    arriving.add(storing)
    try {
      return await storing
    } finally {
      arriving.delete(storing)
    }
  }

  async function isVisible(file: FileDocument, viewerId: string): Promise<boolean> {
    if (file.purpose === 'message') return await sharing.isSharedWith(file, viewerId)
    if (file.ownerId === viewerId) return true
    if (parseMediaUrl((await readPicture(file.ownerId)) ?? '') !== file.mediaId) return false
    return await privacy.showsPicture(viewerId, file.ownerId)
  }

  return {
    mayShare: sharing.mayShare,
    shareMedia: sharing.shareMedia,
    releaseMedia: sharing.releaseMedia,
    settlePictures: pictures.settlePictures,
    remove: (mediaId: string) => mediaStore.remove(mediaId),
    read: mediaStore.read,
    readUsed: mediaStore.readUsed,
    sweep: sweeper.sweep,

    /** Stores an incoming file; see `createMediaStore`. */
    store: (file: ArrivingFile): Promise<FileDocument | undefined> => track(mediaStore.store(file)),

    /** The finished upload with this key of this person; undefined while incomplete. */
    findUploaded: mediaStore.findUploaded,

    /** Resumable uploads. */
    unfinished: { ...unfinished, take: (part: ArrivingPart) => track(unfinished.take(part)) },

    /**
     * A file by the id in its address, if this person may see it; undefined otherwise, whether or
     * not it exists.
     */
    async find(mediaId: string, viewerId: string): Promise<FileDocument | undefined> {
      const file = await mediaStore.findServed(mediaId)
      return file?.state === 'ready' && (await isVisible(file, viewerId)) ? file : undefined
    },

    /** Removes a departing person's pictures and unsent uploads. Files that they sent stay. */
    async deleteMediaOf(userId: string): Promise<void> {
      const owned = await mediaStore.database.range(idsFrom(`owned:${userId}:`))
      for (const { mediaId } of owned) {
        const file = (await mediaStore.database.read([fileKey(mediaId)])).get(fileKey(mediaId))
        if (!isFile(file)) continue
        if (file.purpose === 'message' && file.looseSince === undefined) continue
        await mediaStore.remove(mediaId)
      }
    },

    /** Waits until interrupted uploads are cleaned up, and ends the sweep. */
    async close(): Promise<void> {
      await Promise.allSettled(arriving)
      await sweeper.close()
    },
  }
}
