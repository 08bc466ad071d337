import type { Dexie } from 'dexie'
import type { RxCollection, RxDocumentData } from 'rxdb/plugins/core'
import { noteTable } from './accompany-writes.ts'
import { madeHereMark, owedPrefix } from './record-owed.ts'

/** A version of a document. */
export type Version = Pick<RxDocumentData<{ _id: string }>, '_id' | '_rev'>

/**
 * A collection's notes: documents possibly owed to the server, and how reliable these notes are.
 */
export async function openOwedNotes<T>(collection: RxCollection<T>) {
  const dexie = await readDexie(collection.storageInstance)
  const notes = dexie.table<{ id: string }, string>(noteTable)
  const documents = dexie.table<Version, string>('docs')

  return {
    /** Ids of documents with a locally written version; some were sent since. */
    async read(): Promise<string[]> {
      const keys = await notes.where('id').startsWith(owedPrefix).primaryKeys()
      return keys.map((key) => key.slice(owedPrefix.length))
    },
    async add(ids: readonly string[]): Promise<void> {
      await notes.bulkPut(ids.map((id) => ({ id: owedPrefix + id })))
    },
    /** Drops the notes of documents still stored in exactly this version. */
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
    /** A build that records owed documents created this database. */
    isMadeHere: async (): Promise<boolean> => (await notes.get(madeHereMark)) !== undefined,
  }
}

/** The Dexie database behind an RxDB storage. */
export async function readDexie({ internals }: { internals: unknown }): Promise<Dexie> {
  return (await (internals as Promise<{ dexieDb: Dexie }>)).dexieDb
}
