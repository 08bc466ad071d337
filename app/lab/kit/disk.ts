import { forceCloseDatabase, IDBFactory } from 'fake-indexeddb'

/** One device's IndexedDB, on a disk that can be full, slow, failing or gone. */
export interface LabDisk {
  indexedDB: IDBFactory
  /**
   * Makes every write fail with a QuotaExceededError, as in a browser on a full disk; with a
   * name only writes to databases that end with `--` and this name, as RxDB's collections do.
   */
  fillUp(collection?: string): void
  /** Stores this many more writes, then none: the remains of work that a kill interrupted. */
  dieAfter(writes: number): void
  /** Resolves when the first write after that was dropped. */
  untilDead(): Promise<void>
  /** Each transaction waits so long before it begins, and holds back those behind it meanwhile. */
  slowDown(ms: number): void
  /** The next so many transactions that write do their work, then fail, and nothing of them is stored. */
  failCommits(count: number): void
  /** Blocks writing, reading and opening, like a browser's storage process in trouble. */
  fail(): void
  /** Deletes everything under the open pages, like clearing the site's data. */
  erase(): Promise<void>
  /** The browser closes every connection under the open pages, as phones do. */
  closeConnections(): void
  /** Ends all of it but what is erased or closed. */
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
    slowMs: 0,
    commitsFailing: 0,
    tellDead: () => {},
  }
  const indexedDB = new IDBFactory()
  const open = indexedDB.open.bind(indexedDB)

  const opened = new Set<IDBDatabase>()

  function spoil(given: IDBTransaction) {
    const { slowMs } = state
    const isFailing = given.mode === 'readwrite' && state.commitsFailing > 0
    if (isFailing) state.commitsFailing -= 1
    if (isFailing || slowMs > 0) spoilTransaction(given, { slowMs, isFailing })
  }

  function guard(database: IDBDatabase) {
    opened.add(database)
    const begin = database.transaction.bind(database)
    database.transaction = (...given) => {
      if (state.isFailing) {
        state.refused += 1
        throw new DOMException('The disk of the lab fails.', 'UnknownError')
      }
      const transaction = begin(...given)
      spoil(transaction)
      const find = transaction.objectStore.bind(transaction)
      transaction.objectStore = (name) => {
        const store = find(name)
        const { put, add } = { put: store.put.bind(store), add: store.add.bind(store) }
        const guardWrite =
          (write: typeof put): typeof put =>
          (...values) => {
            if (!state.isFull(database.name) && state.lifeLeft > 0) {
              state.lifeLeft -= 1
              return write(...values)
            }
            state.refused += 1
            state.tellDead()
            throw new DOMException('The disk of the lab is full.', 'QuotaExceededError')
          }
        store.put = guardWrite(put)
        store.add = guardWrite(add)
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
    slowDown(ms) {
      state.slowMs = ms
    },
    failCommits(count) {
      state.hadTrouble = true
      state.commitsFailing = count
    },
    fail() {
      state.hadTrouble = true
      state.isFailing = true
    },
    async erase() {
      state.hadTrouble = true
      state.wasErased = true
      const names = (await indexedDB.databases()).map(({ name = '' }) => name)
      await Promise.all(names.map((name) => deleteDatabase(indexedDB, name)))
    },
    closeConnections() {
      state.hadTrouble = true
      for (const database of opened) forceCloseDatabase(database as never)
      opened.clear()
    },
    makeRoom() {
      Object.assign(state, {
        isFailing: false,
        lifeLeft: Infinity,
        slowMs: 0,
        commitsFailing: 0,
      })
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

/** What fake-indexeddb calls again and again until a transaction has nothing left to do. */
interface Running {
  _started: boolean
  _state: string
  _requests: readonly { request: { readyState: string } }[]
  _start(): void
  _abort(error: string): void
}

function spoilTransaction(given: IDBTransaction, how: { slowMs: number; isFailing: boolean }) {
  const running = given as unknown as Running
  const start = running._start.bind(running)
  const hasMore = () => running._requests.some(({ request }) => request.readyState !== 'done')
  running._start = () => {
    if (!running._started && how.slowMs > 0) {
      // From here on it holds its stores.
      running._started = true
      setTimeout(running._start, how.slowMs)
      return
    }
    if (how.isFailing && running._state !== 'finished' && !hasMore()) {
      running._abort('UnknownError')
    } else start()
  }
}

function deleteDatabase(indexedDB: IDBFactory, name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = resolve
    request.onerror = () => reject(request.error)
  })
}
