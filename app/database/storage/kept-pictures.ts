import type { KeptPicture, PeopleStore } from './people-store.ts'

export interface PictureBudget {
  /** Bytes of all pictures together. */
  bytes: number
  count: number
}

/** Enough for everybody in a long list, and little beside messages and their files. */
const usualBudget: PictureBudget = { bytes: 32 * 1024 * 1024, count: 500 }
/** The precision of a picture's last use: a write for every view would cost more than it is worth. */
const useEveryMs = 24 * 60 * 60 * 1000

/** People's pictures on this device; those shown longest ago leave when there are too many. */
export function createKeptPictures(options: {
  table: PeopleStore['pictures']
  now: () => number
  budget?: PictureBudget
}) {
  const { table, now, budget = usualBudget } = options

  async function trim() {
    const kept: Pick<KeptPicture, '_id' | 'size'>[] = []
    await table
      .orderBy('usedAt')
      .reverse()
      .each(({ _id, size }) => void kept.push({ _id, size }))
    let bytes = 0
    const leaving = kept.filter(({ size }, place) => {
      bytes += size
      return place >= budget.count || bytes > budget.bytes
    })
    if (leaving.length > 0) await table.bulkDelete(leaving.map(({ _id }) => _id))
  }

  return {
    async read(address: string): Promise<Blob | undefined> {
      const kept = await table.get(address)
      if (!kept) return undefined
      if (now() - kept.usedAt >= useEveryMs) await table.update(address, { usedAt: now() })
      return kept.file
    },

    async keep(address: string, file: Blob): Promise<void> {
      if (file.size > budget.bytes) return
      await table.put({ _id: address, file, size: file.size, usedAt: now() })
      await trim()
    },

    async drop(address: string): Promise<void> {
      await table.delete(address)
    },
  }
}
