import { settleRequest } from '../database/storage/dexie/owed-notes.ts'
import {
  type KeptItem,
  readOwnerId,
  readSharedItem,
  type SharedItem,
  textKey,
} from './shared-item.ts'

/**
 * One person's unsent items shared from other apps. Each call rejects when the device's storage
 * fails.
 */
export interface SharedItems {
  /** Newest first. Items shared while nobody was signed in become this person's (P8). */
  list(): Promise<SharedItem[]>
  /** Removes an item that was sent or is not wanted. */
  discard(id: string): Promise<void>
  /** Removes these files, sent or not wanted; with the last one the whole item. */
  dropFiles(id: string, keys: readonly number[]): Promise<void>
  /** Removes this person's items from the device, and keeps other people's. */
  discardAll(): Promise<void>
  /** Calls back after every change by any tab. @returns a function that stops it */
  subscribe(listener: () => void): () => void
}

const [databaseName, storeName] = ['petrel-shared', 'items']

/**
 * Reads the items that `public/share-target.js` stores. Closes the database after each call, so
 * that nothing blocks on it.
 */
export function createSharedItems({
  userId,
  indexedDB = globalThis.indexedDB,
}: {
  /** The owner. */
  userId: string
  indexedDB?: IDBFactory
}): SharedItems {
  async function run<T>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T> {
    const opening = indexedDB.open(databaseName, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(storeName, { keyPath: '_id' })
    const database = await settleRequest(opening)
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

  /** Claims the items without an owner, unless another person was quicker. */
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
    // With a full disk the owner cannot be stored: the item is offered anyway.
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
