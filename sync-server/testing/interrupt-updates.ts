import type { Document } from '../storage/documents/documents.ts'
import type { Storage } from '../storage/storage.ts'

/** For tests of races: the same storage, where something happens before updates of one database. */
export function interruptUpdates(
  storage: Storage,
  name: string,
  happen: (ids: readonly string[]) => Promise<void>,
): Storage {
  return {
    ...storage,
    database<Body extends Document>(each: string) {
      const database = storage.database<Body>(each)
      if (each !== name) return database
      const update: typeof database.update = async (ids, decide) => {
        await happen(ids)
        return await database.update(ids, decide)
      }
      const insert: typeof database.insert = async (document) => {
        await happen([document._id])
        return await database.insert(document)
      }
      return { ...database, insert, update }
    },
  }
}
