import { v7 as uuidv7 } from 'uuid'
import { RequestRefused } from '../http/core/request-refused.ts'
import type { Piece } from '../storage/stored-attachments.ts'
import { cutPieces } from './cut-pieces.ts'
import { detectFileKind } from './detect-file-kind.ts'
import { limitBytes } from './limit-bytes.ts'
import {
  type FileDocument,
  fileKey,
  idsFrom,
  orphanedKey,
  ownedKey,
  pieceBytes,
  pieceKey,
  piecesAtOnce,
  unfinishedKey,
  usedKey,
} from './media-documents.ts'
import type { ArrivingFile, KeptRoom, MediaStore } from './media-store.ts'
import { deriveServedId } from './media-url.ts'
import { readToEnd } from './read-to-end.ts'
import { tidyFilename } from './tidy-filename.ts'
import { writeInGroups } from './write-in-groups.ts'

/** Of one person: a device has few under way, and one that was given up begins anew. */
const unfinishedMax = 32

/** Whose upload it is and which: the same key of another person is another upload. */
interface Which {
  ownerId: string
  key: string
}

interface NewUpload extends Which {
  size: number
  filename: string | undefined
  takeRoom: () => Promise<KeptRoom>
}

/** So many bytes of an upload are stored; `file` is there once all of them are. */
export interface UploadSoFar {
  offset: number
  file?: FileDocument
}

/** Bytes of an upload from `offset` on. `confirm` throws when its owner may not any more, once all of it has come. */
export interface ArrivingPart
  extends Which,
    Pick<ArrivingFile, 'bytes' | 'signal'>,
    Required<Pick<ArrivingFile, 'confirm'>> {
  offset: number
}

/**
 * Files that come in pieces, in as many requests as it takes. What is stored of one is what its offset says, whatever
 * broke off or died; its whole size counts as its owner's from the beginning, so that it never ends for want of room.
 */
export function createUnfinishedUploads(options: {
  shelf: MediaStore
  now: () => number
  onFilesChanged: (ownerId: string) => void
}) {
  const { shelf, now, onFilesChanged } = options
  const { database, pieces } = shelf
  /** Beginnings of one upload come one after the other. */
  const turns = new Map<string, Promise<unknown>>()

  async function readEntry(which: Which) {
    const id = unfinishedKey(which)
    return (await database.read([id])).get(id)
  }

  async function find(which: Which): Promise<FileDocument | undefined> {
    const entry = await readEntry(which)
    const file = entry && (await shelf.find(entry.mediaId))
    return file?.state === 'arriving' ? file : undefined
  }

  /** How many bytes are stored; looks no further back than to the piece before this place. */
  async function measure({ mediaId, size }: FileDocument, from = 0): Promise<number> {
    const first = Math.max(0, Math.floor(from / pieceBytes) - 1)
    const { endkey } = idsFrom(`part:${mediaId}:`)
    const stored = await pieces.list({ startkey: pieceKey(mediaId, first), endkey })
    const last = stored.at(-1)
    const count = last === undefined ? 0 : Number(last.slice(last.lastIndexOf(':') + 1)) + 1
    return Math.min(count * pieceBytes, size)
  }

  /**
   * Where a CouchDB takes one document and not another, this one alone decides whose the upload is.
   * @param before what was found under its key, and is gone
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

  async function create(upload: NewUpload) {
    const { ownerId, key, size } = upload
    const mediaId = uuidv7()
    const before = (await readEntry(upload))?.mediaId
    if (!(await claim(upload, { mediaId, ...(before !== undefined && { before }) }))) return
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
      const used = shelf.changeUsed(stored.get(usedId), ownerId, size)
      return { put: [...put, ...used], result: undefined }
    })
    onFilesChanged(ownerId)
  }

  /** The oldest makes room: whoever goes on with it begins anew. */
  async function limitNumber(ownerId: string) {
    const own = idsFrom(unfinishedKey({ ownerId, key: '' }))
    const [oldest, ...others] = await database.range({ ...own, limit: unfinishedMax })
    if (oldest && others.length === unfinishedMax - 1) await giveUp(oldest.mediaId)
  }

  const giveUp = (mediaId: string) => shelf.remove(mediaId, ({ state }) => state === 'ready')

  async function finish(file: FileDocument, signal?: AbortSignal): Promise<UploadSoFar> {
    const { mediaId, ownerId, key = '', size, looseSince = 0 } = file
    const first = await pieces.read(pieceKey(mediaId, 0))
    if (!first) throw new RequestRefused('upload_not_found')
    const readyAt = now()
    const kind = detectFileKind(first)
    const ready: FileDocument = { ...file, ...kind, state: 'ready', looseSince: readyAt }
    // However long it took to come: its message has as long as that of any other file.
    const [mark, before] = [orphanedKey(readyAt, mediaId), orphanedKey(looseSince, mediaId)]
    const over = [unfinishedKey({ ownerId, key }), ...(mark === before ? [] : [before])]
    const along = [
      { _id: mark, mediaId },
      ...over.map((_id) => ({ _id, mediaId, _deleted: true as const })),
    ]
    if (await shelf.settle(ready, { signal, along })) return { offset: size, file: ready }
    signal?.throwIfAborted()
    // Taken away meanwhile, or the same file came in one request.
    await giveUp(mediaId)
    const uploaded = await shelf.findUploaded({ ownerId, key })
    if (!uploaded) throw new RequestRefused('upload_not_found')
    return toEnd(uploaded)
  }

  async function look(file: FileDocument): Promise<UploadSoFar> {
    const offset = await measure(file)
    return offset === file.size ? await finish(file) : { offset }
  }

  /** Stores what goes on from the bytes that are there. @returns how many are there then */
  async function append(file: FileDocument, part: { bytes: AsyncIterable<Buffer>; from: number }) {
    const { mediaId, size } = file
    let at = part.from
    async function* namePieces() {
      for await (const bytes of cutPieces(part.bytes, pieceBytes)) {
        if (at + bytes.length > size) throw new RequestRefused('upload_unreadable')
        // Less than a piece is only ever stored as the last one: it comes again with the rest.
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
      // Another request is at it, too, as after a break that only one side has noticed.
      if (isThere) throw new RequestRefused('upload_out_of_step', { cause })
      throw cause
    }
  }

  async function beginInTurn(upload: NewUpload): Promise<UploadSoFar> {
    const uploaded = await shelf.findUploaded(upload)
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

  /** The answer to the last part may have been lost: here it is again. */
  async function passOverAll({ bytes, confirm, ...which }: ArrivingPart): Promise<UploadSoFar> {
    const uploaded = await shelf.findUploaded(which)
    if (!uploaded) throw new RequestRefused('upload_not_found')
    await readToEnd(limitBytes(bytes, uploaded.size))
    await confirm()
    return toEnd(uploaded)
  }

  return {
    /**
     * Begins an upload, or finds how far it has come. One of another size under its key is given up for it.
     * @throws what `takeRoom` throws when there is no room for all of it
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
     * Takes more of its bytes; those that are there already are passed over, so that the same part again is the same.
     * @throws RequestRefused `upload_not_found`, `upload_out_of_step`, `upload_unreadable`, `file_too_large`; what `confirm`
     * and the bytes throw
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
      // Its owner has left, or it was given up: what was written since is not found by anybody else.
      await giveUp(file.mediaId)
      throw new RequestRefused('upload_not_found')
    },

    /** Gives an upload up that is not finished; one that nobody knows is no error. */
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
