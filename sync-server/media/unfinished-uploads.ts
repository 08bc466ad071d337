import { v7 as uuidv7 } from 'uuid'
import { RequestRefused } from '../http/core/request-refused.ts'
import { idsFrom } from '../storage/documents/documents.ts'
import type { Piece } from '../storage/stored-attachments.ts'
import { cutPieces, limitBytes, readToEnd } from './byte-streams.ts'
import { detectFileKind } from './detect-file-kind.ts'
import {
  deriveServedId,
  type FileDocument,
  fileKey,
  orphanedKey,
  ownedKey,
  pieceBytes,
  pieceKey,
  piecesAtOnce,
  tidyFilename,
  unfinishedKey,
  usedKey,
} from './media-documents.ts'
import type { ArrivingFile, KeptRoom, MediaStore } from './media-store.ts'
import { writeInGroups } from './write-in-groups.ts'

/** For each person: a device has few at once, and an evicted one starts over. */
const unfinishedMax = 32

/** An upload's owner and key: keys are unique to each person. */
interface Which {
  ownerId: string
  key: string
}

interface NewUpload extends Which {
  size: number
  filename: string | undefined
  takeRoom: () => Promise<KeptRoom>
}

/** How many bytes are stored; `file` is set once all of them are. */
export interface UploadSoFar {
  offset: number
  file?: FileDocument
}

/**
 * Bytes of an upload from `offset` on. `confirm`, called after the last byte, throws when the owner
 * lost permission.
 */
export interface ArrivingPart
  extends Which,
    Pick<ArrivingFile, 'bytes' | 'signal'>,
    Required<Pick<ArrivingFile, 'confirm'>> {
  offset: number
}

/**
 * Resumable uploads, in as many requests as needed. The stored bytes define the offset, whatever
 * broke off or crashed. The whole size counts as its owner's from the start, so that it never fails
 * for lack of room.
 */
export function createUnfinishedUploads(options: {
  mediaStore: MediaStore
  now: () => number
  onFilesChanged: (ownerId: string) => void
}) {
  const { mediaStore, now, onFilesChanged } = options
  const { database, pieces } = mediaStore
  /** Begins of one upload run one after the other. */
  const turns = new Map<string, Promise<unknown>>()

  async function readEntry(which: Which) {
    const id = unfinishedKey(which)
    return (await database.read([id])).get(id)
  }

  async function find(which: Which): Promise<FileDocument | undefined> {
    const entry = await readEntry(which)
    const file = entry && (await mediaStore.find(entry.mediaId))
    return file?.state === 'arriving' ? file : undefined
  }

  /** How many bytes are stored; looks back no further than the piece before this place. */
  async function measure({ mediaId, size }: FileDocument, from = 0): Promise<number> {
    const first = Math.max(0, Math.floor(from / pieceBytes) - 1)
    const { endkey } = idsFrom(`part:${mediaId}:`)
    const stored = await pieces.list({ startkey: pieceKey(mediaId, first), endkey })
    const last = stored.at(-1)
    const count = last === undefined ? 0 : Number(last.slice(last.lastIndexOf(':') + 1)) + 1
    return Math.min(count * pieceBytes, size)
  }

  /**
   * Where a CouchDB stores one document but not another, this one decides who owns the upload.
   * @param before the earlier claim of this key, whose file is gone
   */
  async function claim(which: Which, { mediaId, before }: { mediaId: string; before?: string }) {
    const entry = { _id: unfinishedKey(which), mediaId }
    const { result } = await database.update<boolean>([entry._id], (stored) => {
      const other = stored.get(entry._id)?.mediaId
      if (other === mediaId) return { result: true }
      return other === undefined || other === before
        ? { put: [entry], result: true }
        : { result: false }
    })
    return result
  }

  /** The file comes before the claim: a claim without one is of a file that is gone. */
  async function create(upload: NewUpload) {
    const { ownerId, key, size } = upload
    const before = (await readEntry(upload))?.mediaId
    // Another server has begun it.
    if (before !== undefined && (await mediaStore.find(before))?.state === 'arriving') return
    const mediaId = uuidv7()
    const looseSince = now()
    const file: FileDocument = {
      _id: fileKey(mediaId),
      mediaId,
      ownerId,
      purpose: 'message',
      looseSince,
      key,
      size,
      state: 'arriving',
      type: 'document',
      mimeType: '',
      isCounted: true,
      isInPieces: true,
      filename: tidyFilename(upload.filename),
      servedId: deriveServedId(upload),
    }
    const mark = { _id: orphanedKey(looseSince, mediaId), mediaId }
    const put = [mark, { _id: ownedKey(file), mediaId }, file]
    const usedId = usedKey(ownerId)
    await database.update([...put.map(({ _id }) => _id), usedId], (stored) => {
      const used = mediaStore.changeUsed(stored.get(usedId), ownerId, size)
      return { put: [...put, ...used], result: undefined }
    })
    let isClaimed = false
    try {
      isClaimed = await claim(upload, { mediaId, ...(before !== undefined && { before }) })
    } finally {
      if (!isClaimed) await giveUp(mediaId)
    }
    onFilesChanged(ownerId)
  }

  /** Evicts the oldest: its uploader must start over. */
  async function limitNumber(ownerId: string) {
    const own = idsFrom(unfinishedKey({ ownerId, key: '' }))
    const [oldest, ...others] = await database.range({ ...own, limit: unfinishedMax })
    if (oldest && others.length === unfinishedMax - 1) await giveUp(oldest.mediaId)
  }

  const giveUp = (mediaId: string) => mediaStore.remove(mediaId, ({ state }) => state === 'ready')

  async function finish(file: FileDocument, signal?: AbortSignal): Promise<UploadSoFar> {
    const { mediaId, ownerId, key = '', size, looseSince = 0 } = file
    const first = await pieces.read(pieceKey(mediaId, 0))
    if (!first) throw new RequestRefused('upload_not_found')
    const readyAt = now()
    const kind = detectFileKind(first)
    const ready: FileDocument = { ...file, ...kind, state: 'ready', looseSince: readyAt }
    // However long the upload took, its message gets the same time as with any other file.
    const [mark, before] = [orphanedKey(readyAt, mediaId), orphanedKey(looseSince, mediaId)]
    const over = [unfinishedKey({ ownerId, key }), ...(mark === before ? [] : [before])]
    const along = [
      { _id: mark, mediaId },
      ...over.map((_id) => ({ _id, mediaId, _deleted: true as const })),
    ]
    if (await mediaStore.settle(ready, { signal, along })) return { offset: size, file: ready }
    signal?.throwIfAborted()
    // Removed meanwhile, or the same file came in one request.
    await giveUp(mediaId)
    const uploaded = await mediaStore.findUploaded({ ownerId, key })
    if (!uploaded) throw new RequestRefused('upload_not_found')
    return toEnd(uploaded)
  }

  async function look(file: FileDocument): Promise<UploadSoFar> {
    const offset = await measure(file)
    return offset === file.size ? await finish(file) : { offset }
  }

  /** Appends to the stored bytes. @returns how many are stored then */
  async function append(file: FileDocument, part: { bytes: AsyncIterable<Buffer>; from: number }) {
    const { mediaId, size } = file
    let at = part.from
    async function* namePieces() {
      for await (const bytes of cutPieces(part.bytes, pieceBytes)) {
        if (at + bytes.length > size) throw new RequestRefused('upload_unreadable')
        // Only the last piece may be short: drop this one, the rest of the upload resends it.
        if (bytes.length < pieceBytes && at + bytes.length < size) break
        yield { id: pieceKey(mediaId, at / pieceBytes), bytes }
        at += bytes.length
      }
    }
    await writeInGroups({ items: namePieces(), most: piecesAtOnce, write })
    return at
  }

  async function write(group: readonly Piece[]) {
    try {
      await pieces.write(group)
    } catch (cause) {
      const ids = group.map(({ id }) => id)
      const [startkey = '', endkey = startkey] = [ids[0], ids.at(-1)]
      const isThere = (await pieces.list({ startkey, endkey })).length > 0
      // Another request is uploading it too, as after a break that only one side noticed.
      if (isThere) throw new RequestRefused('upload_out_of_step', { cause })
      throw cause
    }
  }

  async function beginInTurn(upload: NewUpload): Promise<UploadSoFar> {
    const uploaded = await mediaStore.findUploaded(upload)
    if (uploaded) return toEnd(uploaded)
    const known = await find(upload)
    if (known?.size === upload.size) return await look(known)
    if (known) await giveUp(known.mediaId)
    await limitNumber(upload.ownerId)
    const room = await upload.takeRoom()
    try {
      await create(upload)
    } finally {
      room.release()
    }
    return { offset: 0 }
  }

  /** The answer to the last part may be lost: accept it again. */
  async function passOverAll({ bytes, confirm, ...which }: ArrivingPart): Promise<UploadSoFar> {
    const uploaded = await mediaStore.findUploaded(which)
    if (!uploaded) throw new RequestRefused('upload_not_found')
    await readToEnd(limitBytes(bytes, uploaded.size))
    await confirm()
    return toEnd(uploaded)
  }

  return {
    /**
     * Begins an upload, or finds its progress. Replaces one of another size with the same key.
     * @throws whatever `takeRoom` throws when the whole file does not fit
     */
    async begin(upload: NewUpload): Promise<UploadSoFar> {
      const id = unfinishedKey(upload)
      const before = turns.get(id)
      const own = (async () => {
        await before?.catch(() => undefined)
        return await beginInTurn(upload)
      })()
      turns.set(id, own)
      try {
        return await own
      } finally {
        if (turns.get(id) === own) turns.delete(id)
      }
    },

    /**
     * Stores more of its bytes and skips stored ones, so that repeating a part is idempotent.
     * @throws RequestRefused `upload_not_found`, `upload_out_of_step`, `upload_unreadable`,
     * `file_too_large`; whatever `confirm` and the bytes throw
     */
    async take(part: ArrivingPart): Promise<UploadSoFar> {
      const { offset, bytes, signal, confirm } = part
      const file = await find(part)
      if (!file) return await passOverAll(part)
      const from = await measure(file, offset)
      if (offset > from) throw new RequestRefused('upload_out_of_step')
      const at = await append(file, { bytes: passOver(bytes, from - offset), from })
      await confirm()
      if (at === file.size) return await finish(file, signal)
      if (await find(part)) return { offset: at }
      // Its owner left, or gave it up: nothing else would find what was written since.
      await giveUp(file.mediaId)
      throw new RequestRefused('upload_not_found')
    },

    /** Cancels an unfinished upload; an unknown one is no error. */
    async end(which: Which): Promise<void> {
      await turns.get(unfinishedKey(which))?.catch(() => undefined)
      const file = await find(which)
      if (file) await giveUp(file.mediaId)
    },
  }
}

const toEnd = (file: FileDocument): UploadSoFar => ({ offset: file.size, file })

async function* passOver(
  chunks: AsyncIterable<Buffer>,
  bytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  let left = bytes
  for await (const chunk of chunks) {
    if (chunk.length > left) yield chunk.subarray(left)
    left = Math.max(0, left - chunk.length)
  }
}
