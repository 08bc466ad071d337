const [databaseName, storeName] = ['petrel-signed-in', 'people']
const key = 'kept'
/** Apart from `kept`, which the worker of an earlier version reads as a string. */
const pushKey = 'push'

/**
 * Tells the service worker who is signed in for all tabs: it cannot read the sign-in. `userId` owns
 * shared items (`public/share-target.js`). The token fetches pushed messages: recorded only while
 * this person has notifications on. Rejects when the device's storage fails.
 */
export async function recordSignedIn({
  userId,
  token,
  indexedDB = globalThis.indexedDB,
}: {
  userId: string | undefined
  token?: string | undefined
  indexedDB?: IDBFactory
}): Promise<void> {
  await run(indexedDB, 'readwrite', (store) => {
    if (userId === undefined) store.delete(key)
    else store.put(userId, key)
    if (userId === undefined || token === undefined) store.delete(pushKey)
    else store.put({ userId, token }, pushKey)
    return undefined
  })
}

/** What the app recorded for pushes; undefined for nothing. */
export async function readPushSignIn(indexedDB = globalThis.indexedDB): Promise<unknown> {
  return await run<unknown>(indexedDB, 'readonly', (store) => store.get(pushKey))
}

async function run<T>(
  indexedDB: IDBFactory,
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T> | undefined,
): Promise<T | undefined> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open(databaseName, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(storeName)
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
  try {
    const transaction = database.transaction(storeName, mode)
    const request = work(transaction.objectStore(storeName))
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error ?? new Error('Nothing was stored.'))
    })
    return request?.result
  } finally {
    database.close()
  }
}
