import type { TallyingHome } from './databases/database-home.ts'
import { type SingleDatabases, transactInTurn } from './databases/transact-in-turn.ts'
import { updateOne } from './databases/update-one.ts'

/** For tests of crashes: LevelDB that writes databases in sequence, like CouchDB. */
export function createInTurnHome(home: TallyingHome): TallyingHome {
  const databases: SingleDatabases = {
    read: home.read,
    update: (name, { ids, decide }) => updateOne(home, name, { ids, decide }),
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
