import { limits } from '../../schema/limits.ts'
import type { MediaType } from '../../schema/media.ts'

/** What a file is for: to be sent in messages, or to be somebody's profile picture. */
export type MediaPurpose = 'message' | 'picture'

/**
 * What is known of a file; its bytes lie in pieces of their own, in the same database.
 * `state`: `arriving` while bytes still come in, `leaving` from the moment it is given up; only a `ready` one is served.
 * `looseSince`: since when no message and no person's record refers to it, epoch ms; absent while one does.
 * `sharedAt`: when it was last put into a message, epoch ms. `size` is in bytes. `key`: its upload's `Idempotency-Key`.
 */
export interface FileDocument {
  _id: string
  mediaId: string
  ownerId: string
  purpose: MediaPurpose
  state: 'arriving' | 'ready' | 'leaving'
  looseSince?: number
  sharedAt?: number
  type: MediaType
  mimeType: string
  size: number
  filename: string
  key?: string
  /** The id in its address, where that is not `mediaId`: it follows from its owner and its key. */
  servedId?: string
  /** It is among what its owner's files take. */
  isCounted?: true
  /** It comes in pieces, as many bytes as `size` says, and has time to: a break or a restart does not end it. */
  isInPieces?: true
}

/** An entry in one of the indexes below: its id says everything but the file. */
export interface MediaEntry {
  _id: string
  mediaId: string
}

/** How many bytes the files of a person take. */
export interface UsedDocument extends MediaEntry {
  bytes: number
}

export type MediaDocument = (FileDocument | MediaEntry | UsedDocument) & { _deleted?: true }

/** The size of every piece of a file but the last. An upload or a download holds a few of them at a time. */
export const pieceBytes = limits.uploadPieceBytes
/** What an upload may hold in memory beside the chunk that comes: these and the ones that are being written. */
export const piecesAtOnce = 4

export const fileKey = (mediaId: string) => `file:${mediaId}`

export const pieceKey = (mediaId: string, index: number) =>
  `part:${mediaId}:${String(index).padStart(6, '0')}`

/** In the order of time, so that what is old is found without reading what is new. */
export const orphanedKey = (looseSince: number, mediaId: string) =>
  `loose:${padTime(looseSince)}:${mediaId}`

export const ownedKey = (file: Pick<FileDocument, 'ownerId' | 'purpose' | 'mediaId'>) =>
  `owned:${file.ownerId}:${file.purpose}:${file.mediaId}`

/** What an upload with this key has become: the same upload again is the same file. */
export const uploadKey = (upload: { ownerId: string; key: string }) =>
  `upload:${upload.ownerId}:${upload.key}`

/** Under which address it is served. */
export const servedKey = (servedId: string) => `served:${servedId}`

/** An upload in pieces that has begun and is not all there. */
export const unfinishedKey = (upload: { ownerId: string; key: string }) =>
  `unfinished:${upload.ownerId}:${upload.key}`

/** One for each person who has files. */
export const usedKey = (ownerId: string) => `used:${ownerId}`

/** One for each person and message: who lost one message with a file may have another one with it. */
export const shareKey = (share: { mediaId: string; userId: string; messageId: string }) =>
  `share:${share.mediaId}:${share.userId}:${share.messageId}`

/** The range of ids that begin with `prefix`. */
export const idsFrom = (prefix: string) => ({ startkey: prefix, endkey: `${prefix}\uffff` })

/** The marks of everything that was loose at this time already. */
export const orphanedUntil = (epochMs: number) => ({
  startkey: 'loose:',
  endkey: `loose:${padTime(Math.max(epochMs, 0))}:\uffff`,
})

export function isFile(document: MediaDocument | undefined): document is FileDocument {
  return document !== undefined && 'state' in document
}

function padTime(epochMs: number): string {
  return String(epochMs).padStart(15, '0')
}
