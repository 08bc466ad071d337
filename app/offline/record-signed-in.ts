const [databaseName, storeName] = ['petrel-signed-in', 'people']
const key = 'kept'

/**
 * Tells the service worker (`public/share-target.js`) who owns shared items: it cannot read the
 * sign-in. Undefined while nobody is signed in for all tabs. Rejects when the device's storage
 * fails.
 */
export async function recordSignedIn({
  userId,
  indexedDB = globalThis.indexedDB,
}: {
  userId: string | undefined
  indexedDB?: IDBFactory
}): Promise<void> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open(databaseName, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(storeName)
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
  try {
    await new Promise<void>((resolve, reject) => {
      const transaction = database.transaction(storeName, 'readwrite')
      const store = transaction.objectStore(storeName)
      if (userId === undefined) store.delete(key)
      else store.put(userId, key)
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error ?? new Error('Nothing was stored.'))
    })
  } finally {
    database.close()
  }
}
