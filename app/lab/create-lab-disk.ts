import { IDBFactory } from 'fake-indexeddb'

/** The IndexedDB of one device, on a disk that can be full. */
export interface LabDisk {
  indexedDB: IDBFactory
  /**
   * Every write fails with a QuotaExceededError, as in a browser on a full disk; with the name of a collection only
   * those of its documents, as when just they find no room.
   */
  fillUp(collection?: 'messages' | 'conversations'): void
  makeRoom(): void
  /** How many writes have found no room since the start. */
  countRefused(): number
}

export function createLabDisk(): LabDisk {
  const state = { isFull: (_database: string): boolean => false, refused: 0 }
  const indexedDB = new IDBFactory()
  const open = indexedDB.open.bind(indexedDB)

  function guard(database: IDBDatabase) {
    const begin = database.transaction.bind(database)
    database.transaction = (...given) => {
      const transaction = begin(...given)
      const find = transaction.objectStore.bind(transaction)
      transaction.objectStore = (name) => {
        const store = find(name)
        const put = store.put.bind(store)
        store.put = (...values) => {
          if (!state.isFull(database.name)) return put(...values)
          state.refused += 1
          throw new DOMException('The disk of the lab is full.', 'QuotaExceededError')
        }
        return store
      }
      return transaction
    }
  }

  indexedDB.open = (...given) => {
    const request = open(...given)
    request.addEventListener('success', () => guard(request.result))
    return request
  }
  return {
    indexedDB,
    fillUp(collection) {
      state.isFull = (database) => !collection || database.endsWith(`--${collection}`)
    },
    makeRoom() {
      state.isFull = () => false
    },
    countRefused: () => state.refused,
  }
}
