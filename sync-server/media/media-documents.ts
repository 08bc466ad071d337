import { v5 as uuidv5 } from 'uuid'
import { normalizeText } from '../../schema/helpers/text.ts'
import { idPattern } from '../../schema/id.ts'
import { limits } from '../../schema/limits.ts'
import type { MediaType } from '../../schema/media.ts'

const mostCharacters = 120

const mostExtensionCharacters = 12

/** Characters that a file system misreads, or that reverse the displayed order. */
const signsTakenOut = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu

const signsReplaced = /[<>:"|?*]/g

/** Any fixed UUID: the namespace of ids derived from uploads. */
const uploadNamespace = '5a3b1f0e-6c1d-5a52-9c1b-0e3f6d2a7c84'

/** The purpose of a file: sent in messages, or the picture of a person or of a group. */
export type MediaPurpose = 'message' | 'picture'

/**
 * A file's metadata, in one database with its pieces. Served while `ready`; `arriving` until its
 * last byte, `leaving` once given up. `looseSince` (absent while a message or an account refers to
 * it), `sharedAt` (last put into a message): epoch ms; `size`: bytes; `key`: `Idempotency-Key`. A
 * group's picture has the group as its owner (`groupHolder`).
 */
export interface FileDocument {
  _id: string
  mediaId: string
  ownerId: string
  /** Whose usage it counts towards, if not its owner's: who gave a group its picture. */
  payerId?: string
  purpose: MediaPurpose
  state: 'arriving' | 'ready' | 'leaving'
  looseSince?: number
  sharedAt?: number
  type: MediaType
  mimeType: string
  size: number
  filename: string
  key?: string
  /** The id in its address, if not `mediaId`: derived from its owner and key. */
  servedId?: string
  /** It counts towards the usage of who pays. */
  isCounted?: true
  /** A resumable upload in pieces, of `size` bytes in total: breaks and restarts do not end it. */
  isInPieces?: true
}

/** An entry in one of the indexes below: its id holds all of it but the file. */
export interface MediaEntry {
  _id: string
  mediaId: string
}

/** How many bytes the files of a person take. */
export interface UsedDocument extends MediaEntry {
  bytes: number
}

export type MediaDocument = (FileDocument | MediaEntry | UsedDocument) & { _deleted?: true }

/** The size of every piece but the last. An upload or a download holds a few of them at a time. */
export const pieceBytes = limits.uploadPieceBytes
/**
 * How many pieces an upload holds in memory beside the current chunk, including those being
 * written.
 */
export const piecesAtOnce = 4

export const fileKey = (mediaId: string) => `file:${mediaId}`

export const pieceKey = (mediaId: string, index: number) =>
  `part:${mediaId}:${String(index).padStart(6, '0')}`

/** Sorted by time, so that a scan for old files skips the new ones. */
export const orphanedKey = (looseSince: number, mediaId: string) =>
  `loose:${padTime(looseSince)}:${mediaId}`

export const ownedKey = (file: Pick<FileDocument, 'ownerId' | 'purpose' | 'mediaId'>) =>
  `owned:${file.ownerId}:${file.purpose}:${file.mediaId}`

/** The result of an upload with this key: repeating the upload gives the same file. */
export const uploadKey = (upload: { ownerId: string; key: string }) =>
  `upload:${upload.ownerId}:${upload.key}`

/** The address that serves it. */
export const servedKey = (servedId: string) => `served:${servedId}`

/** An upload in pieces that is not complete. */
export const unfinishedKey = (upload: { ownerId: string; key: string }) =>
  `unfinished:${upload.ownerId}:${upload.key}`

/** One for each person who has files. */
export const usedKey = (ownerId: string) => `used:${ownerId}`

/** One for each person and message: after losing one message with a file they may have another. */
export const shareKey = (share: { mediaId: string; userId: string; messageId: string }) =>
  `share:${share.mediaId}:${share.userId}:${share.messageId}`

/**
 * Who holds a reference in place of all members of a group: who of them may read the message is
 * asked at each look. No person's id begins so.
 */
const groupHolderPrefix = 'group-'
export const groupHolder = (groupId: string) => `${groupHolderPrefix}${groupId}`

/** @returns undefined for a person */
export function readGroupHolder(ownerId: string): string | undefined {
  return ownerId.startsWith(groupHolderPrefix) ? ownerId.slice(groupHolderPrefix.length) : undefined
}

/** The beginning of a file's references in groups. */
export const groupSharePrefix = (mediaId: string) => `share:${mediaId}:${groupHolderPrefix}`

/** The group and the message of a reference that `groupSharePrefix` found. */
export function readGroupShare({ _id, mediaId }: MediaEntry) {
  const [groupId = '', messageId = ''] = _id.slice(groupSharePrefix(mediaId).length).split(':')
  return { groupId, messageId }
}

/** The range of everything orphaned since this time or earlier. */
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

/**
 * The id that serves a keyed upload. Repeating the upload gives the same address, so lost bytes
 * return to where messages look for them; nobody else's upload can get it.
 */
export function deriveServedId({ ownerId, key }: { ownerId: string; key: string }): string {
  return uuidv5(`${ownerId} ${key}`, uploadNamespace)
}

/** The address that serves a file, as messages and profiles carry it. */
export function nameMediaUrl(mediaId: string): string {
  return `${limits.mediaPathPrefix}${mediaId}`
}

/** @returns the file's id; undefined for an address that no file of ours can have */
export function parseMediaUrl(mediaUrl: string): string | undefined {
  if (!mediaUrl.startsWith(limits.mediaPathPrefix)) return undefined
  const mediaId = mediaUrl.slice(limits.mediaPathPrefix.length)
  return idPattern.test(mediaId) ? mediaId : undefined
}

/**
 * A filename that is safe to show and save: no folders, no misleading characters, not hidden, and
 * short, with its extension. `file` when nothing is left.
 */
export function tidyFilename(given: string | undefined): string {
  // Browsers escape quotes and line breaks in filenames like this:
  // https://html.spec.whatwg.org/#multipart-form-data
  const written = (given ?? '').replace(/%22|%0D|%0A/g, '_')
  const base = normalizeText(Buffer.from(written).toString(), 'NFC').split(/[/\\]/).at(-1) ?? ''
  const name = base
    .replace(signsTakenOut, '')
    .replace(signsReplaced, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  return shorten(name) || 'file'
}

function shorten(name: string): string {
  const characters = Array.from(name)
  if (characters.length <= mostCharacters) return name
  const dot = characters.lastIndexOf('.')
  const extension = characters.slice(dot)
  if (dot < 1 || extension.length > mostExtensionCharacters) {
    return characters.slice(0, mostCharacters).join('')
  }
  return [...characters.slice(0, mostCharacters - extension.length), ...extension].join('')
}
