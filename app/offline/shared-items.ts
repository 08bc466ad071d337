import {
  type KeptItem,
  readOwnerId,
  readSharedItem,
  type SharedItem,
  textKey,
} from './shared-item.ts'

/** What one person has shared from other apps and not sent. Each call rejects when the device's storage fails. */
export interface SharedItems {
  /** The newest first. What was shared while nobody was signed in is this person's from now on (P8). */
  list(): Promise<SharedItem[]>
  /** It was sent, or is not wanted. */
  discard(id: string): Promise<void>
  /** These of its files are sent, or not wanted; with the last one all of it is. */
  dropFiles(id: string, keys: readonly number[]): Promise<void>
  /** Takes off the device what is this person's, and leaves what is another's. */
  discardAll(): Promise<void>
  /** Calls back after every change by any tab. @returns ends it */
  subscribe(listener: () => void): () => void
}

const [databaseName, storeName] = ['petrel-shared', 'items']

/** Reads what `public/share-target.js` keeps. The database is closed after each call: nothing holds on to it. */
export function createSharedItems({
  userId,
  indexedDB = globalThis.indexedDB,
}: {
  /** Whose. */
  userId: string
  indexedDB?: IDBFactory
}): SharedItems {
  async function run<T>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T> {
    const opening = indexedDB.open(databaseName, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(storeName, { keyPath: '_id' })
    const database = await settle(opening)
    try {
      const transaction = database.transaction(storeName, mode)
      const request = work(transaction.objectStore(storeName))
      await new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve()
        transaction.onabort = () => reject(transaction.error ?? new Error('Nothing was stored.'))
      })
      if (mode === 'readwrite') tellChange()
      return request.result
    } finally {
      database.close()
    }
  }

  const readAll = () => run<unknown[]>('readonly', (store) => store.getAll())

  /** What has no owner gets this one, if nobody else was quicker. */
  async function claim() {
    await run('readwrite', (store) => {
      const reading = store.getAll()
      reading.onsuccess = () => {
        for (const kept of reading.result) {
          if (readOwnerId(kept) === undefined) store.put({ ...kept, ownerId: userId })
        }
      }
      return reading
    })
  }

  async function listOwn(): Promise<unknown[]> {
    const kept = await readAll()
    if (kept.every(readOwnerId)) return kept.filter(isOwn)
    // A full disk can't note whose it is: it is offered all the same.
    await claim().catch(() => {})
    return (await readAll()).filter(isOwn)
  }

  const isOwn = (kept: unknown) => (readOwnerId(kept) ?? userId) === userId

  const discard = async (id: string) => void (await run('readwrite', (store) => store.delete(id)))

  return {
    async list() {
      return (await listOwn()).map(readSharedItem).sort((a, b) => b.at - a.at)
    },
    discard,
    async dropFiles(id, keys) {
      const kept: KeptItem | undefined = await run('readonly', (store) => store.get(id))
      if (!kept) return
      const files = kept.files.filter(({ key }) => !keys.includes(key))
      const words = keys.includes(textKey) ? { title: '', text: '', url: '' } : {}
      const left = { ...kept, ...words, files }
      const isAllSent = readSharedItem(left).files.length === 0
      if (isAllSent) await discard(id)
      else await run('readwrite', (store) => store.put(left))
    },
    async discardAll() {
      for (const { id } of (await listOwn()).map(readSharedItem)) await discard(id)
    },
    subscribe(listener) {
      const channel = new BroadcastChannel(databaseName)
      channel.onmessage = listener
      return () => channel.close()
    },
  }
}

function tellChange() {
  const channel = new BroadcastChannel(databaseName)
  channel.postMessage('changed')
  channel.close()
}

function settle<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
