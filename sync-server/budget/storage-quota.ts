import { LRUCache } from 'lru-cache'
import { RequestRefused } from '../http/core/request-refused.ts'
import { atMost } from '../lib/at-most.ts'
import type { Levels } from '../metrics/read-levels.ts'

const peopleRemembered = 50_000
/** Other servers may add and remove files. */
const filesRememberedMs = 10_000
const retryAfterSeconds = 60
/** Refused messages are kept for their authors (P6), up to this further share of the quota. */
const refusedShare = 1 / 8

/** `full`: new items are refused. `overfull`: nothing that needs more room is stored. */
export type Room = 'free' | 'full' | 'overfull'

/** What somebody has stored, in bytes. */
export interface StoredBytes {
  messages: number
  files: number
}

export type StorageQuota = ReturnType<typeof createStorageQuota>

/**
 * How much each person may store: messages they wrote and files they uploaded. What others send
 * them counts for those others (P12). All figures are stored with what they count; nothing is
 * scanned.
 * @param quotaBytes 0 for any amount
 * @param readMessages how many bytes a person's messages take
 * @param readFiles how many bytes their files take
 */
export function createStorageQuota(options: {
  quotaBytes: number
  readMessages: (userId: string) => Promise<number>
  readFiles: (userId: string) => Promise<number>
  /** A person's own quota, where they have one. */
  readOwnQuota?: (userId: string) => Promise<number | undefined>
}) {
  const { quotaBytes, readMessages, readFiles, readOwnQuota } = options
  const quotas = new LRUCache<string, { bytes: number }>({
    ...atMost(peopleRemembered),
    ttl: filesRememberedMs,
  })
  const files = new LRUCache<string, Promise<number>>({
    ...atMost(peopleRemembered),
    ttl: filesRememberedMs,
  })
  const arriving = new Map<string, number>()
  const counted = { refused: 0 }

  function readFilesOf(userId: string): Promise<number> {
    const found = files.get(userId)
    if (found) return found
    const reading = readFiles(userId)
    files.set(userId, reading)
    reading.catch(() => files.delete(userId))
    return reading
  }

  async function read(userId: string): Promise<StoredBytes> {
    const [messages, bytes] = await Promise.all([readMessages(userId), readFilesOf(userId)])
    // Data older than the figures was never counted, but its deletion is.
    return { messages: Math.max(messages, 0), files: Math.max(bytes, 0) }
  }

  async function quotaOf(userId: string): Promise<number> {
    if (!readOwnQuota) return quotaBytes
    const known = quotas.get(userId)
    if (known) return known.bytes
    const bytes = (await readOwnQuota(userId)) ?? quotaBytes
    quotas.set(userId, { bytes })
    return bytes
  }

  async function sum(userId: string): Promise<number> {
    const stored = await read(userId)
    return stored.messages + stored.files
  }

  function refuse(): RequestRefused {
    counted.refused += 1
    return new RequestRefused('storage_full', {
      headers: { 'retry-after': String(retryAfterSeconds) },
    })
  }

  return {
    quotaBytes,
    /** What a person may store; 0 for any amount. */
    of: quotaOf,
    read,

    async look(userId: string): Promise<Room> {
      const allowed = await quotaOf(userId)
      if (allowed === 0) return 'free'
      const bytes = await sum(userId)
      if (bytes < allowed) return 'free'
      return bytes < allowed * (1 + refusedShare) ? 'full' : 'overfull'
    },

    /** The refusal for a person who is full. */
    refuse,

    /**
     * Reserves room for an incoming file until released.
     * @param bytes the announced size, or less
     * @returns `grow` takes the total received so far; it throws like this function
     * @throws RequestRefused `storage_full`
     */
    async takeRoom(userId: string, bytes: number) {
      const allowed = await quotaOf(userId)
      const left = allowed === 0 ? Number.POSITIVE_INFINITY : allowed - (await sum(userId))
      const own = { bytes: 0 }
      const change = (amount: number) => {
        own.bytes += amount
        const all = (arriving.get(userId) ?? 0) + amount
        if (all > 0) arriving.set(userId, all)
        else arriving.delete(userId)
      }
      const grow = (total: number) => {
        if (total <= own.bytes) return
        if ((arriving.get(userId) ?? 0) + total - own.bytes > left) throw refuse()
        change(total - own.bytes)
      }
      grow(bytes)
      return { grow, release: () => change(-own.bytes) }
    },

    /** Call when a person's files changed. */
    handleFilesChanged: (userId: string) => void files.delete(userId),

    /** Call when a person got a quota of their own, or lost it. */
    handleQuotaChanged: (userId: string) => void quotas.delete(userId),

    /** For the metrics. */
    levels: (): Levels => ({
      gauges: {},
      counters: {
        petrel_storage_full_refused_total: {
          help: 'Uploads and pushes that were refused because their author had no room left.',
          read: () => counted.refused,
        },
      },
    }),
  }
}
