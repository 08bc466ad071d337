import { settleRequest } from '../../database/storage/dexie/owed-notes.ts'
/** A device's IndexedDB, read without the product: every document of a collection, by id. */
export async function readStoredDocuments<T extends { _id: string }>(options: {
  indexedDB: IDBFactory
  database: string
  collection: string
}): Promise<Map<string, T>> {
  const { indexedDB, database, collection } = options
  const names = (await indexedDB.databases()).map(({ name = '' }) => name)
  const versions = names.filter(
    (name) => name.startsWith(`rxdb-dexie-${database}--`) && name.endsWith(`--${collection}`),
  )
  // The latest version. Opening a deleted database would create it.
  const name = versions.sort().at(-1)
  if (name === undefined) return new Map()
  const opened = await settleRequest(indexedDB.open(name))
  try {
    const store = opened.transaction('docs', 'readonly').objectStore('docs')
    const documents = (await settleRequest(store.getAll())) as T[]
    return new Map(documents.map((document) => [document._id, document]))
  } finally {
    opened.close()
  }
}

/**
 * The number of records in all of a device's databases, without RxDB's notes of their existence.
 */
export async function countStoredRecords(indexedDB: IDBFactory): Promise<number> {
  let count = 0
  for (const { name = '' } of await indexedDB.databases()) {
    const opened = await settleRequest(indexedDB.open(name))
    for (const store of opened.objectStoreNames) {
      count += await settleRequest(opened.transaction(store, 'readonly').objectStore(store).count())
    }
    opened.close()
  }
  return count
}
