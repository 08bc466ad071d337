import type { PetrelDatabase } from '../storage/open-database.ts'
import { countDocuments, queryDocuments } from '../storage/read-documents.ts'
import { readConversations } from '../views/read-conversations.ts'

const mb = 1_000_000

/** A messenger's share, however large the disk is. */
const ceilingBytes = 2_000 * mb

/** The budget when the browser does not report its quota. */
const unknownBytes = 500 * mb

/** Messages need the rest, whatever the person has chosen. */
const mostOfRoom = 0.9

/** How much of the files a person keeps on a device. */
export const fileKeepings = ['auto', 'little', 'more', 'all'] as const

/** This many of the newest messages stand for all of a chat. */
const sampleSize = 20

export type FileKeeping = (typeof fileKeepings)[number]

const chosenBytes = {
  little: 200 * mb,
  more: 1_000 * mb,
  all: Number.POSITIVE_INFINITY,
} as const satisfies Record<Exclude<FileKeeping, 'auto'>, number>

/** The browser's report of this origin's storage, in bytes. */
export interface StorageRoom {
  usage?: number | undefined
  quota?: number | undefined
}

/**
 * The file budget on this device, in bytes. By itself a quarter of used and free space together, so
 * that the messages always have room; else what the person has chosen, as far as there is room.
 */
export function decideFileBudget({
  keptBytes,
  room,
  keeping = 'auto',
}: {
  keptBytes: number
  room: StorageRoom | undefined
  keeping?: FileKeeping
}): number {
  const { usage, quota } = room ?? {}
  const isKnown = quota !== undefined && usage !== undefined
  const space = isKnown ? keptBytes + Math.max(0, quota - usage) : undefined
  if (keeping !== 'auto') {
    const most = space === undefined ? Number.POSITIVE_INFINITY : Math.floor(space * mostOfRoom)
    return Math.min(chosenBytes[keeping], most)
  }
  return space === undefined ? unknownBytes : Math.min(ceilingBytes, Math.floor(space / 4))
}

/** A file on this device. `size` in bytes; `usedAt`: when it was last shown or stored, epoch ms. */
interface TrimmableFile {
  messageId: string
  size: number
  usedAt: number
  /** It has no other copy, is wanted, or is being viewed. */
  isProtected: boolean
}

/**
 * Which files to remove so that the rest fits the budget: the least recently used, no more than
 * needed.
 */
export function chooseFilesToTrim<T extends TrimmableFile>(
  files: readonly T[],
  budgetBytes: number,
): T[] {
  let excess = files.reduce((sum, { size }) => sum + size, 0) - budgetBytes
  const chosen: T[] = []
  const oldestFirst = files
    .filter(({ isProtected }) => !isProtected)
    .sort((a, b) => a.usedAt - b.usedAt || (a.messageId < b.messageId ? -1 : 1))
  for (const file of oldestFirst) {
    if (excess <= 0) break
    chosen.push(file)
    excess -= file.size
  }
  return chosen
}

/**
 * How many messages each chat has on this device, and about how many bytes they take: the text of
 * the newest ones, times the count. Neither their index nor the search is in it.
 */
export async function estimateMessages({
  messages,
  conversations,
}: Pick<PetrelDatabase, 'messages' | 'conversations'>) {
  const chats: { peerId: string; count: number; bytes: number }[] = []
  for (const { _id: peerId, clearedUpTo } of await readConversations(conversations)) {
    const selector = { shelf: peerId, recency: { $lt: -clearedUpTo } }
    const index = ['shelf', 'recency']
    const count = await countDocuments(messages, { selector, index })
    if (count === 0) continue
    const sample = await queryDocuments(messages, {
      selector,
      index,
      sort: [{ shelf: 'asc' }, { recency: 'asc' }],
      limit: sampleSize,
    })
    const bytes = new TextEncoder().encode(JSON.stringify(sample)).length
    chats.push({ peerId, count, bytes: Math.round((bytes / Math.max(1, sample.length)) * count) })
  }
  return chats
}
