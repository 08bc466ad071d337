import { Dexie } from 'dexie'
import { noteTable } from './accompany-writes.ts'

/** A document as it lies in IndexedDB. */
export type StoredRecord = { _id: string; _rev: string } & Record<string, unknown>

/** All that a database held at one moment. */
export interface EarlierContent {
  documents: StoredRecord[]
  notes: { id: string }[]
}

export interface EarlierPlatform {
  indexedDB?: IDBFactory
  IDBKeyRange?: typeof globalThis.IDBKeyRange
}

/** The name of the IndexedDB database that RxDB gives to one version of a collection. */
export function nameDatabase(options: {
  database: string
  version: number
  collection: string
}): string {
  return `rxdb-dexie-${options.database}--${options.version}--${options.collection}`
}

/** Reads a database of RxDB; undefined when there is none. */
export async function readEarlier(
  name: string,
  platform: EarlierPlatform,
): Promise<EarlierContent | undefined> {
  const dexie = new Dexie(name, platform)
  try {
    await dexie.open()
    const [documents, notes] = [dexie.table('docs'), dexie.table(noteTable)]
    return await dexie.transaction('r', documents, notes, async () => ({
      documents: await documents.toArray(),
      notes: await notes.toArray(),
    }))
  } catch (error) {
    if (error instanceof Dexie.NoSuchDatabaseError) return undefined
    throw error
  } finally {
    dexie.close()
  }
}

/**
 * Deletes a database if it holds exactly the given documents, or always without. Other tabs have to
 * let go of it first: what they write in between is found, and what they write later goes into a
 * new one.
 * @returns false when it holds others, and still does
 */
export async function deleteUnchanged(
  name: string,
  content: Pick<EarlierContent, 'documents'> | undefined,
  { indexedDB = globalThis.indexedDB }: EarlierPlatform,
): Promise<boolean> {
  // A browser that cannot say which version it has (Firefox before 126) keeps it: it costs room and nothing else.
  if (typeof indexedDB.databases !== 'function') return true
  const version = (await indexedDB.databases()).find((each) => each.name === name)?.version
  if (version === undefined) return true
  const known = new Map(content?.documents.map(({ _id, _rev }) => [_id, _rev]))
  return await new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, version + 1)
    opening.onupgradeneeded = ({ oldVersion }) => {
      const transaction = opening.transaction as IDBTransaction
      if (oldVersion === 0) return transaction.abort()
      const reading = transaction.objectStore('docs').getAll()
      reading.onsuccess = () => {
        const found: StoredRecord[] = reading.result
        const isSame = !content || found.every(({ _id, _rev }) => known.get(_id) === _rev)
        if (!isSame) return transaction.abort()
        // Asked for while no other tab can open it: whoever waits gets a new one.
        const deletion = indexedDB.deleteDatabase(name)
        deletion.onsuccess = () => resolve(true)
        deletion.onerror = () => reject(deletion.error)
      }
    }
    opening.onsuccess = () => opening.result.close()
    opening.onerror = () => {
      if (opening.error?.name === 'AbortError') resolve(false)
      // Another tab does the same.
      else if (opening.error?.name === 'VersionError') resolve(false)
      else reject(opening.error)
    }
  })
}
