import type { Dexie } from 'dexie'
import type { RxCollection, RxDocumentData } from 'rxdb/plugins/core'
import { accompanyWrites, noteTable } from './accompany-writes.ts'

const staged = new WeakMap<Dexie, Map<string, Note>>()

const owedPrefix = 'owed|'

/** Set when a database is created: notes from an earlier one of the same name do not apply. */
const madeHereMark = 'mark|made'

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

interface Written {
  _id: string
  _rev: string
  /** Replication's note on a server version: the height of its revision. */
  _meta: { o?: { _rev: number } }
}

/**
 * Records, in the transaction that stores a document, that its version is not the server's. So the
 * stored data alone shows what is owed, whichever tab wrote it, whatever its clock said, and
 * whenever it died.
 */
export function recordOwed(dexie: Dexie): void {
  // A surplus note costs one check; a document without a note might never be sent.
  accompanyWrites<Written>(dexie, 'recordOwed', (written) => ({
    values: written.filter(isOfThisDevice).map(({ _id }) => ({ id: owedPrefix + _id })),
  }))
  dexie.on('populate', (transaction) => {
    void transaction.table(noteTable).put({ id: madeHereMark })
  })
}

function isOfThisDevice({ _rev, _meta }: Written): boolean {
  return _meta.o?._rev !== Number.parseInt(_rev, 10)
}

type Note = { id: string }

/** Notes to store in a message's transaction, by the message's id. */
function listStagedNotes(dexie: Dexie): Map<string, Note> {
  const known = staged.get(dexie) ?? new Map<string, Note>()
  staged.set(dexie, known)
  return known
}

/**
 * Stores a message's staged note in the same transaction: no crash leaves one without the other.
 */
export function storeStagedNotes(dexie: Dexie): void {
  const waiting = listStagedNotes(dexie)
  accompanyWrites<{ _id: string }>(dexie, 'storeStagedNotes', (written) => ({
    values: written.flatMap(({ _id }) => waiting.get(_id) ?? []),
  }))
}

/** Runs a message's write so that both the message and the note are stored, or neither is. */
export async function writeWithNote<T>(
  dexie: Dexie,
  { messageId, note }: { messageId: string; note: Note },
  write: () => Promise<T>,
): Promise<T> {
  const waiting = listStagedNotes(dexie)
  waiting.set(messageId, note)
  try {
    return await write()
  } finally {
    waiting.delete(messageId)
  }
}

/** The result of an IndexedDB request; rejects with its error. */
export function settleRequest<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
