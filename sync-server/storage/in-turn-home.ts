import type { TallyingHome } from './database-home.ts'
import { type SingleDatabases, transactInTurn } from './transact-in-turn.ts'

/** For tests of crashes: LevelDB that writes databases one after the other, as CouchDB has to. */
export function createInTurnHome(home: TallyingHome): TallyingHome {
  const databases: SingleDatabases = {
    read: home.read,
    async update(name, { ids, decide }) {
      const { result, revs } = await home.transact({
        parts: [{ name, ids }],
        decide(read) {
          const { result, ...write } = decide(read(name))
          return { writes: [{ name, ...write }], result }
        },
      })
      return { result, revs: revs(name) }
    },
  }
  return {
    ...home,
    async transact(transaction) {
      return transaction.parts.length > 1
        ? await transactInTurn(databases, transaction)
        : await home.transact(transaction)
    },
  }
}
