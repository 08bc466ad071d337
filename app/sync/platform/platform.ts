import type { StorageRoom } from '../../database/files/file-budget.ts'
import type { KeyValueStorage } from '../../database/storage/key-value-storage.ts'

/** What the page around the core says of itself. `front`: it became visible, or was given the focus. */
export type PageEvent = 'online' | 'offline' | 'front' | 'back'

export interface Page {
  isOnline(): boolean
  isVisible(): boolean
  subscribe(listener: (event: PageEvent) => void): () => void
}

export type Locks = Pick<LockManager, 'request'>

/** Everything that the core takes from a browser. In Node each can be given, and the core runs the same. */
export interface Platform {
  fetch: typeof fetch
  WebSocket: typeof WebSocket
  indexedDB?: IDBFactory
  IDBKeyRange?: typeof IDBKeyRange
  /** Absent where the browser has none (pages without HTTPS): then every visible tab syncs, which is safe. */
  locks?: Locks
  /** `localStorage`. */
  texts?: KeyValueStorage
  /** What the browser grants this origin, in bytes; absent where it does not tell. */
  estimate?: () => Promise<StorageRoom>
  page: Page
  /** Resolves when the page has drawn what it has to draw, at once where there is none. */
  untilIdle?: () => Promise<void>
  now: () => number
  /** From 0 to 1, as `Math.random`. */
  random: () => number
  /** Only where several tabs share one process. */
  tab?: { device: string; name: string }
}
