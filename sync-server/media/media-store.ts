import { v7 as uuidv7 } from 'uuid'
import type { Storage } from '../storage/storage.ts'
import { cutPieces } from './cut-pieces.ts'
import { detectFileKind, type FileKind } from './detect-file-kind.ts'
import { limitBytes } from './limit-bytes.ts'
import {
  type FileDocument,
  fileKey,
  idsFrom,
  isFile,
  type MediaDocument,
  type MediaPurpose,
  orphanedKey,
  ownedKey,
  pieceBytes,
  pieceKey,
  piecesAtOnce,
  servedKey,
  unfinishedKey,
  uploadKey,
  usedKey,
} from './media-documents.ts'
import { deriveServedId } from './media-url.ts'
import { readToEnd } from './read-to-end.ts'
import { tidyFilename } from './tidy-filename.ts'
import { writeInGroups } from './write-in-groups.ts'

export type MediaStore = ReturnType<typeof createMediaStore>

/**
 * A file that comes in. `check` throws when a file of this kind is not taken. The same `key` again is the same file.
 * `takeRoom` and its `grow` throw when there is no room for it. `confirm` throws when its owner may not any more, once all of it has come; after `signal` has aborted it is not kept.
 */
export interface ArrivingFile {
  ownerId: string
  purpose: MediaPurpose
  filename: string | undefined
  bytes: AsyncIterable<Buffer>
  limitBytes: number
  key?: string | undefined
  check?: (kind: FileKind) => void
  confirm?: () => Promise<void>
  takeRoom?: () => Promise<KeptRoom>
  signal?: AbortSignal
}

/** Room for a file that comes in: `grow` is told how many of its bytes have come. */
export interface KeptRoom {
  grow(bytes: number): void
  release(): void
}

type GivenUp = FileDocument | 'unknown' | 'wanted'

/**
 * Puts files into the `media` database and takes them out again, a piece at a time. A mark of when a file came is made
 * before its first byte and stays until something refers to it: what a crash leaves behind is found by its mark.
 * @param onFilesChanged told whose files take more or less than before
 * @param onError told of a file that could not be taken away now; a sweep does it later
 */
export function createMediaStore(options: {
  storage: Storage
  now: () => number
  onFilesChanged: (ownerId: string) => void
  onError: (error: unknown) => void
}) {
  const { storage, now, onFilesChanged, onError } = options
  const database = storage.database<MediaDocument>('media')
  const pieces = storage.attachments('media')

  async function find(mediaId: string): Promise<FileDocument | undefined> {
    const document = (await database.read([fileKey(mediaId)])).get(fileKey(mediaId))
    return isFile(document) ? document : undefined
  }

  /** By the id in its address. */
  async function findServed(servedId: string): Promise<FileDocument | undefined> {
    const ids = [fileKey(servedId), servedKey(servedId)]
    const found = await database.read(ids)
    const [file, entry] = ids.map((id) => found.get(id))
    if (isFile(file)) return file
    return entry && (await find(entry.mediaId))
  }

  async function begin({ ownerId, purpose, filename, key }: ArrivingFile): Promise<FileDocument> {
    const mediaId = uuidv7()
    const looseSince = now()
    const file: FileDocument = {
      _id: fileKey(mediaId),
      mediaId,
      ownerId,
      purpose,
      looseSince,
      state: 'arriving',
      type: 'document',
      mimeType: '',
      size: 0,
      filename: tidyFilename(filename),
      ...(key !== undefined && { key }),
      ...(key !== undefined &&
        purpose === 'message' && { servedId: deriveServedId({ ownerId, key }) }),
    }
    const mark = { _id: orphanedKey(looseSince, mediaId), mediaId }
    const put = [mark, { _id: ownedKey(file), mediaId }, file]
    const ids = put.map(({ _id }) => _id)
    await database.update(ids, () => ({ put, result: undefined }))
    return file
  }

  async function storeBytes(mediaId: string, arriving: ArrivingFile, room?: KeptRoom) {
    const stored = { count: 0, size: 0, kind: undefined as FileKind | undefined }
    const limited = limitBytes(arriving.bytes, arriving.limitBytes)
    async function* checkPieces() {
      for await (const bytes of cutPieces(limited, pieceBytes)) {
        if (!stored.kind) {
          stored.kind = detectFileKind(bytes)
          arriving.check?.(stored.kind)
        }
        room?.grow(stored.size + bytes.length)
        yield { id: pieceKey(mediaId, stored.count), bytes }
        stored.count += 1
        stored.size += bytes.length
      }
    }
    await writeInGroups({ items: checkPieces(), most: piecesAtOnce, write: pieces.write })
    return stored
  }

  /** From now on nobody can see or share the file, and its mark says that it is to go. */
  async function giveUp(
    mediaId: string,
    isWanted: (file: FileDocument) => boolean,
  ): Promise<GivenUp> {
    const found = await find(mediaId)
    if (!found) return 'unknown'
    const looseSince = found.looseSince ?? now()
    const mark = { _id: orphanedKey(looseSince, mediaId), mediaId }
    const ids = [mark._id, found._id]
    const { result } = await database.update<GivenUp>(ids, (stored) => {
      const file = stored.get(found._id)
      if (!isFile(file)) return { result: 'unknown' }
      if (isWanted(file)) return { result: 'wanted' }
      const leaving: FileDocument = { ...file, state: 'leaving', looseSince }
      return { put: [mark, leaving], result: leaving }
    })
    return result
  }

  /**
   * Takes a file away with all that belongs to it; what a crash leaves of it is found by its mark.
   * @param isWanted looks once more at the file as it is then: true leaves it where it is
   */
  async function remove(mediaId: string, isWanted: (file: FileDocument) => boolean = () => false) {
    const file = await giveUp(mediaId, isWanted)
    if (file === 'wanted') return
    for (const belonging of [idsFrom(`part:${mediaId}:`), idsFrom(`share:${mediaId}:`)]) {
      await pieces.remove(await pieces.list(belonging))
    }
    if (file === 'unknown') return
    const { ownerId, key, servedId } = file
    const ids = [orphanedKey(file.looseSince ?? 0, mediaId), ownedKey(file), file._id]
    if (servedId !== undefined) ids.push(servedKey(servedId))
    if (key !== undefined) ids.push(uploadKey({ ownerId, key }), unfinishedKey({ ownerId, key }))
    const usedId = usedKey(ownerId)
    await database.update([...ids, usedId], (stored) => {
      const removed = stored.get(file._id)
      const bytes = isFile(removed) && removed.isCounted ? -removed.size : 0
      const gone = ids
        .filter((id) => stored.get(id)?.mediaId === mediaId)
        .map((_id) => ({ _id, mediaId, _deleted: true as const }))
      return {
        put: [...gone, ...changeUsed(stored.get(usedId), ownerId, bytes)],
        result: undefined,
      }
    })
    onFilesChanged(ownerId)
  }

  async function findUploaded({
    ownerId,
    key,
  }: Pick<ArrivingFile, 'ownerId' | 'key'>): Promise<FileDocument | undefined> {
    if (key === undefined) return undefined
    const id = uploadKey({ ownerId, key })
    const entry = (await database.read([id])).get(id)
    const file = entry && (await find(entry.mediaId))
    return file?.state === 'ready' ? file : undefined
  }

  /**
   * @param how.along what is written in the same moment
   * @returns false when another upload with the same key was ready before, or its owner's files were taken away
   */
  async function settle(
    ready: FileDocument,
    how: { signal?: AbortSignal | undefined; along?: readonly MediaDocument[] },
  ): Promise<boolean> {
    const { signal, along = [] } = how
    const { _id, mediaId, ownerId, key, servedId } = ready
    const entry = key === undefined ? undefined : { _id: uploadKey({ ownerId, key }), mediaId }
    const usedId = usedKey(ownerId)
    const put = [{ ...ready, isCounted: true as const }]
    const entries = [
      ...(entry ? [entry] : []),
      ...(servedId === undefined ? [] : [{ _id: servedKey(servedId), mediaId }]),
    ]
    const ids = [_id, ...entries.map((one) => one._id), usedId, ...along.map((one) => one._id)]
    const { result } = await database.update<boolean>(ids, (stored) => {
      const file = stored.get(_id)
      // A CouchDB may have taken this and not the rest: then the rest follows.
      const isTaken = isFile(file) && file.state === 'ready' && !signal?.aborted
      // Without its mark no sweep would ever find it.
      const isAwaited = isFile(file) && file.state === 'arriving' && !signal?.aborted
      const found = entry && stored.get(entry._id)
      const isRepeated = found !== undefined && found.mediaId !== mediaId
      if (!(isTaken || isAwaited) || isRepeated) return { result: false }
      // What comes in pieces has counted since it began.
      const bytes = ready.isInPieces ? 0 : ready.size
      const used = changeUsed(stored.get(usedId), ownerId, bytes)
      const others = along.filter((one) => !one._deleted || stored.has(one._id))
      const taken = [...(isTaken ? [] : put), ...entries, ...used, ...others]
      return { put: taken, result: true }
    })
    onFilesChanged(ownerId)
    return result
  }

  async function storeNew(arriving: ArrivingFile, room?: KeptRoom) {
    const file = await begin(arriving)
    try {
      const { kind, size } = await storeBytes(file.mediaId, arriving, room)
      if (kind) {
        await arriving.confirm?.()
        const ready: FileDocument = { ...file, ...kind, size, state: 'ready' }
        if (await settle(ready, arriving)) return ready
        arriving.signal?.throwIfAborted()
      }
    } catch (error) {
      await remove(file.mediaId).catch(onError)
      throw error
    }
    await remove(file.mediaId)
    return await findUploaded(arriving)
  }

  return {
    database,
    pieces,
    find,
    findServed,
    findUploaded,
    settle,
    remove,
    changeUsed,
    /** How many bytes the files of a person take. */
    async readUsed(ownerId: string): Promise<number> {
      const id = usedKey(ownerId)
      const used = (await database.read([id])).get(id)
      return used && 'bytes' in used ? used.bytes : 0
    },

    /**
     * Stores a file whole, or leaves nothing of it behind.
     * @returns undefined for an empty file
     * @throws RequestRefused `file_too_large`; what `check`, `confirm` and the bytes throw; the signal's reason
     */
    async store(arriving: ArrivingFile): Promise<FileDocument | undefined> {
      const before = await findUploaded(arriving)
      if (before) {
        await readToEnd(limitBytes(arriving.bytes, arriving.limitBytes))
        await arriving.confirm?.()
        return before
      }
      const room = await arriving.takeRoom?.()
      try {
        return await storeNew(arriving, room)
      } finally {
        room?.release()
      }
    },

    /** The bytes from `start` to `end`, both included. @throws Error when a piece of them is not there */
    async *read(
      { mediaId }: FileDocument,
      { start, end }: { start: number; end: number },
    ): AsyncGenerator<Buffer> {
      for (let index = Math.floor(start / pieceBytes); index * pieceBytes <= end; index += 1) {
        const piece = await pieces.read(pieceKey(mediaId, index))
        if (!piece) throw new Error(`piece ${index} of the file ${mediaId} is not there`)
        const offset = index * pieceBytes
        yield piece.subarray(Math.max(0, start - offset), end - offset + 1)
      }
    },
  }
}

function changeUsed(
  used: MediaDocument | undefined,
  ownerId: string,
  change: number,
): MediaDocument[] {
  const before = used && 'bytes' in used ? used.bytes : 0
  if (change === 0 || before + change < 0) return []
  const bytes = before + change
  return [
    { _id: usedKey(ownerId), mediaId: '', bytes, ...(bytes === 0 && { _deleted: true as const }) },
  ]
}
