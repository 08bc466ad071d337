import { LRUCache } from 'lru-cache'
import { atMost } from '../lib/at-most.ts'
import { DatabaseGone } from './databases/database-gone.ts'
import type { TallyingHome } from './databases/database-home.ts'

const databasesRemembered = 100_000

/**
 * A home that can remove databases permanently: waits for pending work, and later calls cannot
 * recreate them. Each call checks once it holds the database open, which a removal waits for.
 */
export function createLastingRemovals(home: TallyingHome) {
  const gone = new LRUCache<string, true>(atMost(databasesRemembered))

  function requireThere(name: string) {
    if (gone.has(name)) throw new DatabaseGone(name)
  }

  const lasting: TallyingHome = {
    ...home,
    async use(name, work) {
      requireThere(name)
      return await home.use(name, async (pouch) => {
        requireThere(name)
        return await work(pouch)
      })
    },
    async read(name, ids) {
      requireThere(name)
      return await home.read(name, ids)
    },
    async transact(transaction) {
      return await home.transact({
        ...transaction,
        decide(read) {
          for (const { name } of transaction.parts) requireThere(name)
          return transaction.decide(read)
        },
      })
    },
  }

  return {
    home: lasting,
    async retire(name: string) {
      gone.set(name, true)
      await home.destroy(name)
    },
  }
}
