import type { Dexie } from 'dexie'
import type { RxCollection, RxDocumentData } from 'rxdb/plugins/core'
import { noteTable } from './accompany-writes.ts'
import { madeHereMark, owedPrefix } from './record-owed.ts'

/** A version of a document. */
export type Version = Pick<RxDocumentData<{ _id: string }>, '_id' | '_rev'>

/** The notes of a collection: which documents may be owed to the server, and how far these notes can be relied on. */
export async function openOwedNotes<T>(collection: RxCollection<T>) {
  const dexie = await readDexie(collection.storageInstance)
  const notes = dexie.table<{ id: string }, string>(noteTable)
  const documents = dexie.table<Version, string>('docs')

  return {
    /** Ids of the documents of which a version was written here, some of them sent since. */
    async read(): Promise<string[]> {
      const keys = await notes.where('id').startsWith(owedPrefix).primaryKeys()
      return keys.map((key) => key.slice(owedPrefix.length))
    },
    async add(ids: readonly string[]): Promise<void> {
      await notes.bulkPut(ids.map((id) => ({ id: owedPrefix + id })))
    },
    /** Drops the notes of those that are still stored in just this version. */
    async drop(versions: readonly Version[]): Promise<void> {
      if (versions.length === 0) return
      await dexie.transaction('rw', documents, notes, async () => {
        const stored = await documents.bulkGet(versions.map(({ _id }) => _id))
        const same = versions.filter(({ _rev }, at) => stored[at]?._rev === _rev)
        await notes.bulkDelete(same.map(({ _id }) => owedPrefix + _id))
      })
    },
    async hasMark(mark: string): Promise<boolean> {
      return (await notes.get(mark)) !== undefined
    },
    async hasMarkLike(prefix: string): Promise<boolean> {
      return (await notes.where('id').startsWith(prefix).count()) > 0
    },
    async setMarks(marks: readonly string[]): Promise<void> {
      await notes.bulkPut(marks.map((id) => ({ id })))
    },
    /** This database was made by a build that notes what is owed. */
    isMadeHere: async (): Promise<boolean> => (await notes.get(madeHereMark)) !== undefined,
  }
}

/** The Dexie database in which a storage of RxDB keeps its documents. */
export async function readDexie({ internals }: { internals: unknown }): Promise<Dexie> {
  return (await (internals as Promise<{ dexieDb: Dexie }>)).dexieDb
}
