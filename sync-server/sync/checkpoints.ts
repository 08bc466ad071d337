import { retryOvertaken } from '../lib/retry-overtaken.ts'
import type { Document } from '../storage/documents/documents.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'

interface Index {
  _rev?: string
  ids: string[]
}

/** No client can use this name. */
const indexId = 'checkpoints!'
const checkpointsMax = 64
const overtaken = {
  tries: 20,
  giveUp: () => new Error('the list of checkpoints changed under every try to write it'),
}

/**
 * Replicating clients' checkpoints, a bounded number for each database (P12). A new one evicts the
 * oldest, whose client begins again and gets nothing twice.
 */
export function createCheckpoints(database: StoredDatabase<Document>) {
  async function readIndex(): Promise<Index> {
    const index = await database.readLocal(indexId)
    return { ids: [], ...index }
  }

  /** Indexed before it exists and until it is gone: a crash leaves none uncounted. */
  async function makePlace(id: string) {
    await retryOvertaken(async () => {
      const { ids, ...index } = await readIndex()
      if (ids.includes(id)) return 'indexed'
      const left = [...ids, id].slice(-checkpointsMax)
      const removed = ids.filter((one) => !left.includes(one))
      for (const one of removed) await database.removeLocal(one)
      const rev = await database.writeLocal(indexId, { ...index, ids: left })
      return rev === undefined ? 'again' : 'indexed'
    }, overtaken)
  }

  return {
    read: (id: string) => database.readLocal(id),
    /** @returns undefined when `doc._rev` is not its current revision, else the new revision */
    async write(id: string, doc: Record<string, unknown>): Promise<string | undefined> {
      await makePlace(id)
      return await database.writeLocal(id, doc)
    },
  }
}
