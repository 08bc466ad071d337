import { settleRequest } from '../storage/dexie/owed-notes.ts'
/** A device's IndexedDB as JSON: a fixture of what an earlier build left on devices. */
export type DatabaseDump = readonly DumpedDatabase[]

interface DumpedDatabase {
  name: string
  version: number
  stores: readonly DumpedStore[]
}

interface DumpedStore {
  name: string
  keyPath: string | string[] | null
  autoIncrement: boolean
  indexes: readonly DumpedIndex[]
  records: readonly unknown[]
}

interface DumpedIndex {
  name: string
  keyPath: string | string[]
  unique: boolean
  multiEntry: boolean
}

/** Reads everything. @throws Error for a record that JSON would change */
export async function dumpDatabases(indexedDB: IDBFactory): Promise<DatabaseDump> {
  const dump: DumpedDatabase[] = []
  for (const { name = '', version = 1 } of await indexedDB.databases()) {
    const database = await settleRequest(indexedDB.open(name))
    const stores: DumpedStore[] = []
    for (const each of database.objectStoreNames) {
      stores.push(await dumpStore(database.transaction(each, 'readonly').objectStore(each)))
    }
    database.close()
    dump.push({ name, version, stores })
  }
  return dump.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function dumpStore(store: IDBObjectStore): Promise<DumpedStore> {
  const { name, keyPath, autoIncrement } = store
  const indexes = [...store.indexNames].map((each) => {
    const { name, keyPath, unique, multiEntry } = store.index(each)
    return { name, keyPath, unique, multiEntry }
  })
  const records: unknown[] = await settleRequest(store.getAll())
  if (keyPath === null) throw new Error(`${name} keeps its keys beside its records.`)
  return { name, keyPath, autoIncrement, indexes, records }
}

/** Writes a dump into a factory that has none of these databases. */
export async function loadDatabases(indexedDB: IDBFactory, dump: DatabaseDump): Promise<void> {
  for (const { name, version, stores } of dump) {
    const request = indexedDB.open(name, version)
    request.onupgradeneeded = () => {
      for (const { name, keyPath, autoIncrement, indexes, records } of stores) {
        const store = request.result.createObjectStore(name, { keyPath, autoIncrement })
        for (const { name, keyPath, ...kind } of indexes) store.createIndex(name, keyPath, kind)
        for (const record of records) store.put(record)
      }
    }
    const database = await settleRequest(request)
    database.close()
  }
}
