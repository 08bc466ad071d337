import { idsFrom } from '../storage/documents/ids-from.ts'
import { type FileDocument, orphanedKey, orphanedUntil } from './media-documents.ts'
import type { MediaStore } from './media-store.ts'

const everyMs = 24 * 60 * 60 * 1000
const orphanedKeptMs = 24 * 60 * 60 * 1000
/** No upload takes this long: not the largest allowed, at the slowest accepted pace. */
const arrivingKeptMs = 4 * 24 * 60 * 60 * 1000
/** How long an interrupted resumable upload stays resumable. */
const unfinishedKeptMs = 4 * 24 * 60 * 60 * 1000
const marksAtOnce = 100

export type InTurn = <Result>(step: () => Promise<Result>) => Promise<Result>

/**
 * Removes files without references after a day, what crashes left of uploads, and abandoned
 * resumable uploads.
 * @param isAlone no other server uses the database: then every upload older than the start is
 * broken
 * @param inTurn runs the step for one file when others have had their turn
 * @param keepPicture for a possible profile picture: true when it is one, and then no longer
 * orphaned
 */
export function createMediaSweep(options: {
  mediaStore: MediaStore
  isAlone: boolean
  now: () => number
  inTurn: InTurn
  keepPicture: (file: FileDocument) => Promise<boolean>
  onError: (error: unknown) => void
}) {
  const { mediaStore, isAlone, now, inTurn, keepPicture, onError } = options
  const { database } = mediaStore
  const startedAt = now()
  const state = { isClosed: false, sweep: undefined as Promise<number> | undefined }
  const timer = setInterval(() => sweep().catch(onError), everyMs).unref()

  /** @returns how many files it removed */
  function sweep(): Promise<number> {
    state.sweep ??= sweepAll().finally(() => {
      state.sweep = undefined
    })
    return state.sweep
  }

  async function sweepAll(): Promise<number> {
    const readyUntil = now() - orphanedKeptMs
    const arrivingUntil = isAlone ? startedAt - 1 : now() - arrivingKeptMs
    const unfinishedUntil = now() - unfinishedKeptMs
    const range = orphanedUntil(Math.max(readyUntil, arrivingUntil))
    const isDue = (file: FileDocument) => {
      const isUnfinished = file.state === 'arriving' && file.isInPieces
      const until = isUnfinished ? unfinishedUntil : arrivingUntil
      return (file.looseSince ?? 0) <= (file.state === 'ready' ? readyUntil : until)
    }
    let taken = 0
    let { startkey } = range
    while (!state.isClosed) {
      const marks = await database.range({ ...range, startkey, limit: marksAtOnce })
      for (const { _id, mediaId } of marks) {
        if (state.isClosed) return taken
        if (await inTurn(() => sweepOne({ markId: _id, mediaId, isDue }))) taken += 1
      }
      const last = marks.at(-1)
      if (!last || marks.length < marksAtOnce) break
      startkey = idsFrom(last._id).endkey
    }
    return taken
  }

  async function sweepOne(mark: {
    markId: string
    mediaId: string
    isDue: (file: FileDocument) => boolean
  }): Promise<boolean> {
    const { markId, mediaId, isDue } = mark
    const file = await mediaStore.find(mediaId)
    const isOfNow =
      file?.looseSince !== undefined && orphanedKey(file.looseSince, mediaId) === markId
    if (!file || !isOfNow) {
      if (!file) await mediaStore.remove(mediaId)
      await database.update([markId], (stored) => ({
        put: stored.has(markId) ? [{ _id: markId, mediaId, _deleted: true }] : [],
        result: undefined,
      }))
      return false
    }
    if (!isDue(file)) return false
    if (file.state === 'ready' && file.purpose === 'picture' && (await keepPicture(file))) {
      return false
    }
    const { looseSince } = file
    await mediaStore.remove(mediaId, (current) => current.looseSince !== looseSince)
    return true
  }

  return {
    sweep,
    /** Ends after the current file. */
    async close() {
      state.isClosed = true
      clearInterval(timer)
      await state.sweep?.catch(() => undefined)
    },
  }
}
