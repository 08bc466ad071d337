import { v7 as uuidv7 } from 'uuid'
import { idsFrom } from '../storage/documents/documents.ts'
import type { Storage } from '../storage/storage.ts'
import { cutPieces, limitBytes, readToEnd } from './byte-streams.ts'
import { detectFileKind, type FileKind } from './detect-file-kind.ts'
import {
  deriveServedId,
  type FileDocument,
  fileKey,
  isFile,
  type MediaDocument,
  type MediaPurpose,
  orphanedKey,
  ownedKey,
  pieceBytes,
  pieceKey,
  piecesAtOnce,
  servedKey,
  tidyFilename,
  unfinishedKey,
  uploadKey,
  usedKey,
} from './media-documents.ts'
import { writeInGroups } from './write-in-groups.ts'

export type MediaStore = ReturnType<typeof createMediaStore>

/**
 * An incoming file. `check` throws for a forbidden kind. The same `key` is the same file.
 * `takeRoom` and its `grow` throw when there is no room. `confirm`, called after the last byte,
 * throws when the owner lost permission; an aborted `signal` discards the file.
 */
export interface ArrivingFile {
  ownerId: string
  /** Whose usage it counts towards, if not its owner's. */
  payerId?: string | undefined
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

/** Room for an incoming file: `grow` takes the number of bytes received so far. */
export interface KeptRoom {
  grow(bytes: number): void
  release(): void
}

type GivenUp = FileDocument | 'unknown' | 'wanted'

/**
 * Stores files in the `media` database in pieces, and removes them. Writes a timestamped mark
 * before the first byte and keeps it until something refers to the file, so that a sweep finds a
 * crash's leftovers.
 * @param onFilesChanged called with the owner whose usage changed
 * @param onError called with a failed removal; a sweep retries it
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

  async function begin({
    ownerId,
    payerId,
    purpose,
    filename,
    key,
  }: ArrivingFile): Promise<FileDocument> {
    const mediaId = uuidv7()
    const looseSince = now()
    const file: FileDocument = {
      _id: fileKey(mediaId),
      mediaId,
      ownerId,
      ...(payerId !== undefined && { payerId }),
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

  /** Hides the file from everybody, and marks it for removal. */
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
   * Removes a file and all its entries; its mark finds what a crash leaves.
   * @param isWanted checks the current file once more: true keeps it
   */
  async function remove(mediaId: string, isWanted: (file: FileDocument) => boolean = () => false) {
    const file = await giveUp(mediaId, isWanted)
    if (file === 'wanted') return
    for (const belonging of [idsFrom(`part:${mediaId}:`), idsFrom(`share:${mediaId}:`)]) {
      await pieces.remove(await pieces.list(belonging))
    }
    if (file === 'unknown') return
    const { ownerId, payerId = ownerId, key, servedId } = file
    const ids = [orphanedKey(file.looseSince ?? 0, mediaId), ownedKey(file), file._id]
    if (servedId !== undefined) ids.push(servedKey(servedId))
    if (key !== undefined) ids.push(uploadKey({ ownerId, key }), unfinishedKey({ ownerId, key }))
    const usedId = usedKey(payerId)
    await database.update([...ids, usedId], (stored) => {
      const removed = stored.get(file._id)
      const bytes = isFile(removed) && removed.isCounted ? -removed.size : 0
      const gone = ids
        .filter((id) => stored.get(id)?.mediaId === mediaId)
        .map((_id) => ({ _id, mediaId, _deleted: true as const }))
      return {
        put: [...gone, ...changeUsed(stored.get(usedId), payerId, bytes)],
        result: undefined,
      }
    })
    onFilesChanged(payerId)
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
   * @param how.along extra documents for the same write
   * @returns false when another upload with the same key finished first, or its owner's files were
   * removed
   */
  async function settle(
    ready: FileDocument,
    how: { signal?: AbortSignal | undefined; along?: readonly MediaDocument[] },
  ): Promise<boolean> {
    const { signal, along = [] } = how
    const { _id, mediaId, ownerId, payerId = ownerId, key, servedId } = ready
    const entry = key === undefined ? undefined : { _id: uploadKey({ ownerId, key }), mediaId }
    const usedId = usedKey(payerId)
    const put = [{ ...ready, isCounted: true as const }]
    const entries = [
      ...(entry ? [entry] : []),
      ...(servedId === undefined ? [] : [{ _id: servedKey(servedId), mediaId }]),
    ]
    const ids = [_id, ...entries.map((one) => one._id), usedId, ...along.map((one) => one._id)]
    const { result } = await database.update<boolean>(ids, (stored) => {
      const file = stored.get(_id)
      // A CouchDB may have stored this and not the rest: write the rest.
      const isTaken = isFile(file) && file.state === 'ready' && !signal?.aborted
      // Without its mark no sweep would find it.
      const isAwaited = isFile(file) && file.state === 'arriving' && !signal?.aborted
      const found = entry && stored.get(entry._id)
      const isRepeated = found !== undefined && found.mediaId !== mediaId
      if (!(isTaken || isAwaited) || isRepeated) return { result: false }
      // A resumable upload has counted since it began.
      const bytes = ready.isInPieces ? 0 : ready.size
      const used = changeUsed(stored.get(usedId), payerId, bytes)
      const others = along.filter((one) => !one._deleted || stored.has(one._id))
      const taken = [...(isTaken ? [] : put), ...entries, ...used, ...others]
      return { put: taken, result: true }
    })
    onFilesChanged(payerId)
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
     * Stores a whole file, or leaves nothing behind.
     * @returns undefined for an empty file
     * @throws RequestRefused `file_too_large`; whatever `check`, `confirm` and the bytes throw; the
     * signal's reason
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

    /**
     * The bytes from `start` to `end`, inclusive. @throws Error when one of their pieces is missing
     */
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
