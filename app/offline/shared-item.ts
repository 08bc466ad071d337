import * as z from 'zod/mini'
import { limits } from '../../schema/limits.ts'
import { formatBytes } from '../ui/format/format-amounts.ts'

/** The service worker's stored form: see `public/share-target.js`. */
const keptItem = z.object({
  _id: z.string(),
  /** The owner's id; absent if nobody was signed in. */
  ownerId: z.optional(z.string()),
  at: z.number(),
  title: z.string(),
  text: z.string(),
  url: z.string(),
  files: z.array(
    z.object({
      key: z.number(),
      name: z.string(),
      type: z.string(),
      bytes: z.instanceof(Blob),
    }),
  ),
})
export type KeptItem = z.infer<typeof keptItem>

/** An item shared by another app, ready to send. */
export interface SharedItem {
  id: string
  /** When it arrived, epoch ms. */
  at: number
  text: string
  files: readonly SharedFile[]
  /** The parts that cannot be sent, and why, in words. */
  problems: readonly string[]
}

export interface SharedFile {
  /** The file's key within its item; `textKey` for the text. */
  key: number
  file: File
}

/** The key of a file made from a text that is too long for a message. */
export const textKey = -1
const longTextName = 'Shared text.txt'

/** Reads a stored item. Reports the parts that exceed a limit; the rest can be sent. */
export function readSharedItem(kept: unknown): SharedItem {
  const read = keptItem.safeParse(kept)
  if (!read.success) {
    const problems = ["What was shared couldn't be read. Share it again."]
    return { id: readId(kept), at: 0, text: '', files: [], problems }
  }
  const { _id, at } = read.data
  const problems: string[] = []
  const files = takeFiles(read.data, problems)
  const text = joinTexts(read.data)
  const isTooLong = text.length > limits.messageMaxCharacters
  if (isTooLong) {
    files.push({ key: textKey, file: new File([text], longTextName, { type: 'text/plain' }) })
    problems.push('The text is too long for one message, so it will be sent as a file.')
  }
  if (!text && files.length === 0 && problems.length === 0) {
    problems.push('There is nothing in it that can be sent.')
  }
  return { id: _id, at, text: isTooLong ? '' : text, files, problems }
}

function takeFiles({ files }: KeptItem, problems: string[]): SharedFile[] {
  const { sharedFileMaxBytes, sharedFilesMax } = limits
  const fitting = files.filter(({ name, bytes }) => {
    const isFit = bytes.size <= sharedFileMaxBytes
    if (!isFit) {
      const [size, most] = [formatBytes(bytes.size), formatBytes(sharedFileMaxBytes)]
      problems.push(`“${name}” is too large to send (${size}). Files can have up to ${most}.`)
    }
    return isFit
  })
  if (fitting.length > sharedFilesMax) {
    const left = fitting.length - sharedFilesMax
    problems.push(
      `${sharedFilesMax} files can be sent at once. ${left} more will wait until these are sent.`,
    )
  }
  return fitting
    .slice(0, sharedFilesMax)
    .map(({ key, name, type, bytes }) => ({ key, file: new File([bytes], name, { type }) }))
}

/** Apps put a link into any of the three fields, and often into two. */
function joinTexts({ title, text, url }: KeptItem): string {
  const parts: string[] = []
  for (const part of [text, url, title].map((each) => each.trim())) {
    if (part && !parts.some((other) => other.includes(part))) parts.push(part)
  }
  const heading = parts.indexOf(title.trim())
  if (heading > 0) parts.unshift(...parts.splice(heading, 1))
  return parts.join('\n')
}

/** The owner's id; undefined if the item was not offered to anybody yet. */
export function readOwnerId(kept: unknown): string | undefined {
  const hasOwner = typeof kept === 'object' && kept !== null && 'ownerId' in kept
  return hasOwner && typeof kept.ownerId === 'string' ? kept.ownerId : undefined
}

function readId(kept: unknown): string {
  const hasId = typeof kept === 'object' && kept !== null && '_id' in kept
  return hasId ? String(kept._id) : ''
}
