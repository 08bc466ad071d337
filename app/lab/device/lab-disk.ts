import { forceCloseDatabase, IDBFactory } from 'fake-indexeddb'
import { settleRequest } from '../../database/storage/dexie/settle-request.ts'

/** One device's IndexedDB, on a disk that can be full. */
export interface LabDisk {
  indexedDB: IDBFactory
  /**
   * Makes every write fail with a QuotaExceededError, as in a browser on a full disk; with a
   * collection's name only writes of its documents.
   */
  fillUp(collection?: 'messages' | 'conversations'): void
  /** Stores this many more writes, then none: the remains of work that a kill interrupted. */
  dieAfter(writes: number): void
  /** Resolves when the first write after that was dropped. */
  untilDead(): Promise<void>
  /** Blocks writing, reading and opening, like a browser's storage process in trouble. */
  fail(): void
  /** Deletes everything under the open pages, like clearing the site's data. */
  erase(): Promise<void>
  /** The browser closes every connection under the open pages, as phones do. */
  closeConnections(): void
  makeRoom(): void
  /** The pages themselves delete everything. */
  recordErasure(): void
  wasErased(): boolean
  /** Whether any of this has ever happened: then background errors are expected. */
  hadTrouble(): boolean
  /** How many writes have found no space since the start. */
  countRefused(): number
}

export function createLabDisk(): LabDisk {
  const state = {
    isFull: (_database: string): boolean => false,
    isFailing: false,
    hadTrouble: false,
    wasErased: false,
    refused: 0,
    lifeLeft: Infinity,
    tellDead: () => {},
  }
  const indexedDB = new IDBFactory()
  const open = indexedDB.open.bind(indexedDB)

  const opened = new Set<IDBDatabase>()

  function guard(database: IDBDatabase) {
    opened.add(database)
    const begin = database.transaction.bind(database)
    database.transaction = (...given) => {
      if (state.isFailing) {
        state.refused += 1
        throw new DOMException('The disk of the lab fails.', 'UnknownError')
      }
      const transaction = begin(...given)
      const find = transaction.objectStore.bind(transaction)
      transaction.objectStore = (name) => {
        const store = find(name)
        const put = store.put.bind(store)
        store.put = (...values) => {
          if (!state.isFull(database.name) && state.lifeLeft > 0) {
            state.lifeLeft -= 1
            return put(...values)
          }
          state.refused += 1
          state.tellDead()
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
      state.hadTrouble = true
      state.isFull = (database) => !collection || database.endsWith(`--${collection}`)
    },
    dieAfter(writes) {
      state.lifeLeft = writes
    },
    untilDead: () =>
      new Promise((resolve) => {
        state.tellDead = resolve
      }),
    fail() {
      state.hadTrouble = true
      state.isFailing = true
    },
    async erase() {
      state.hadTrouble = true
      state.wasErased = true
      const names = (await indexedDB.databases()).map(({ name = '' }) => name)
      await Promise.all(names.map((name) => settleRequest(indexedDB.deleteDatabase(name))))
    },
    closeConnections() {
      state.hadTrouble = true
      for (const database of opened) forceCloseDatabase(database as never)
      opened.clear()
    },
    makeRoom() {
      state.isFailing = false
      state.lifeLeft = Infinity
      state.isFull = () => false
    },
    recordErasure() {
      state.wasErased = true
    },
    wasErased: () => state.wasErased,
    hadTrouble: () => state.hadTrouble,
    countRefused: () => state.refused,
  }
}
