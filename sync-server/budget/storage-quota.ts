import { LRUCache } from 'lru-cache'
import { RequestRefused } from '../http/request-refused.ts'
import type { Levels } from '../metrics/read-levels.ts'

const peopleRemembered = 50_000
const knownMs = 60_000
/** What could not be measured is tried again after this. */
const unknownMs = 5_000
const retryAfterSeconds = 60
/** Others may still write to somebody who is full, until they have twice their share. */
const overfullTimes = 2

/** `full`: nothing new. `overfull`: nothing that takes more room than before, and nothing from others. */
export type Room = 'free' | 'full' | 'overfull'

/** What somebody has stored, in bytes. `stored` is all that counts, `media` the files among it. */
export interface StoredBytes {
  stored: number
  media: number
}

interface Known {
  databases: number
  media: number
  /** Written since it was measured, and in the time before: that may not lie on the disk yet. */
  written: number
  writtenBefore: number
  isDueAt: number
  measuring: Promise<void> | undefined
}

export type StorageQuota = ReturnType<typeof createStorageQuota>

/**
 * How much each person may have stored: their two databases, and the files that are theirs. What they have is measured
 * once a minute, and what they write meanwhile is added, so that asking costs nothing. What cannot be measured is taken
 * for nothing: nobody is refused for our trouble.
 * @param quotaBytes 0 for any amount
 * @param measureDatabases about how many bytes a person's databases take
 * @param measureMedia how many bytes the files of a person take
 * @param now epoch ms
 */
export function createStorageQuota(options: {
  quotaBytes: number
  measureDatabases: (userId: string) => Promise<number>
  measureMedia: (userId: string) => Promise<number>
  onError: (error: unknown) => void
  now?: () => number
}) {
  const { quotaBytes, measureDatabases, measureMedia, onError, now = Date.now } = options
  const people = new LRUCache<string, Known>({ max: peopleRemembered })
  const counted = { refused: 0 }

  function find(userId: string): Known {
    const found = people.get(userId)
    if (found) return found
    const known: Known = {
      ...{ databases: 0, media: 0, written: 0, writtenBefore: 0 },
      ...{ isDueAt: 0, measuring: undefined },
    }
    people.set(userId, known)
    return known
  }

  function sum({ databases, media, written, writtenBefore }: Known): number {
    return databases + media + written + writtenBefore
  }

  async function measure(userId: string, known: Known) {
    const written = known.written
    try {
      const [databases, media] = await Promise.all([measureDatabases(userId), measureMedia(userId)])
      Object.assign(known, { databases, media, writtenBefore: written, isDueAt: now() + knownMs })
      known.written -= written
    } catch (error) {
      known.isDueAt = now() + unknownMs
      onError(error)
    }
  }

  /** Measures anew what is known for too long already. */
  function renew(userId: string, known: Known): Promise<void> | undefined {
    if (now() < known.isDueAt) return undefined
    known.measuring ??= measure(userId, known).finally(() => {
      known.measuring = undefined
    })
    return known.measuring
  }

  function judge(known: Known): Room {
    if (quotaBytes === 0) return 'free'
    const bytes = sum(known)
    if (bytes < quotaBytes) return 'free'
    return bytes < quotaBytes * overfullTimes ? 'full' : 'overfull'
  }

  function refuse(known: Known): RequestRefused {
    counted.refused += 1
    return new RequestRefused('storage_full', {
      headers: {
        'retry-after': String(retryAfterSeconds),
        'x-petrel-stored-bytes': String(sum(known)),
        'x-petrel-quota-bytes': String(quotaBytes),
      },
    })
  }

  return {
    quotaBytes,

    async read(userId: string): Promise<StoredBytes> {
      const known = find(userId)
      await renew(userId, known)
      return { stored: sum(known), media: known.media }
    },

    /** Waits for a measurement only of whom nothing is known, and before it says that somebody is full. */
    async look(userId: string): Promise<Room> {
      if (quotaBytes === 0) return 'free'
      const known = find(userId)
      const renewing = renew(userId, known)
      if (known.isDueAt === 0 || judge(known) !== 'free') await renewing
      return judge(known)
    },

    /** As far as it is known by now. Whoever writes to others waits for no measurement of theirs. */
    isOverfull(userId: string): boolean {
      if (quotaBytes === 0) return false
      const known = find(userId)
      void renew(userId, known)
      return judge(known) === 'overfull'
    },

    /** To be called for what is written of a person's. */
    note(userId: string, bytes: number) {
      if (quotaBytes > 0) find(userId).written += bytes
    },

    /** A refusal for somebody who is full. */
    refuse: (userId: string): RequestRefused => refuse(find(userId)),

    /**
     * For a file that comes in, of so many bytes as far as it says.
     * @returns how many bytes all the person's files may have with it
     * @throws RequestRefused `storage_full`
     */
    async requireRoom(userId: string, bytes: number): Promise<number> {
      if (quotaBytes === 0) return Number.POSITIVE_INFINITY
      const known = find(userId)
      await renew(userId, known)
      if (sum(known) + bytes > quotaBytes) throw refuse(known)
      return quotaBytes - (sum(known) - known.media)
    },

    /** A file of theirs has come in. */
    noteFile(userId: string, bytes: number) {
      if (quotaBytes > 0) find(userId).media += bytes
    },

    /** For the metrics. */
    levels: (): Levels => ({
      gauges: {},
      counters: {
        petrel_storage_full_refused_total: {
          help: 'What was refused because its author had no room left.',
          read: () => counted.refused,
        },
      },
    }),
  }
}
