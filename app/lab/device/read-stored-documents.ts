/** What lies in a device's IndexedDB, read past the product: every document of a collection, by id. */
export async function readStoredDocuments<T extends { _id: string }>(options: {
  indexedDB: IDBFactory
  database: string
  collection: string
}): Promise<Map<string, T>> {
  const { indexedDB, database, collection } = options
  const name = `rxdb-dexie-${database}--0--${collection}`
  // To open what was deleted would make it.
  if (!(await indexedDB.databases()).some((each) => each.name === name)) return new Map()
  const opened = await finish(indexedDB.open(name))
  try {
    const store = opened.transaction('docs', 'readonly').objectStore('docs')
    const documents = (await finish(store.getAll())) as T[]
    return new Map(documents.map((document) => [document._id, document]))
  } finally {
    opened.close()
  }
}

/** How many records lie in all databases of a device; RxDB's note that its database was there counts nothing. */
export async function countStoredRecords(indexedDB: IDBFactory): Promise<number> {
  let count = 0
  for (const { name = '' } of await indexedDB.databases()) {
    const opened = await finish(indexedDB.open(name))
    for (const store of opened.objectStoreNames) {
      count += await finish(opened.transaction(store, 'readonly').objectStore(store).count())
    }
    opened.close()
  }
  return count
}

/** A request of IndexedDB as a promise. */
export function finish<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
