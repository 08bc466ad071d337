import type { Document } from '../storage/documents/documents.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'

interface Index {
  _rev?: string
  ids: string[]
}

/** No client can name it so. */
const indexId = 'checkpoints!'
const checkpointsMax = 64
const mostTries = 20

/**
 * The checkpoints of replicating clients, at most so many in a database (P12). A new one takes the place of the one that
 * began first: whoever misses theirs begins again, and gets nothing twice.
 */
export function createCheckpoints(database: StoredDatabase<Document>) {
  async function readIndex(): Promise<Index> {
    const index = await database.readLocal(indexId)
    return { ids: [], ...index }
  }

  /** Named before it is there, and until it is gone: a crash leaves none that nobody counts. */
  async function makePlace(id: string) {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const { ids, ...index } = await readIndex()
      if (ids.includes(id)) return
      const left = [...ids, id].slice(-checkpointsMax)
      const removed = ids.filter((one) => !left.includes(one))
      for (const one of removed) await database.removeLocal(one)
      if ((await database.writeLocal(indexId, { ...index, ids: left })) !== undefined) return
    }
    throw new Error('the list of checkpoints changed under every try to write it')
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
