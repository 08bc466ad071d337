import type { StorageRoom } from '../../database/files/file-budget.ts'
import type { KeyValueStorage } from '../../database/storage/key-value-storage.ts'

/** Page events. `front`: the page became visible, or got the focus. */
export type PageEvent = 'online' | 'offline' | 'front' | 'back'

export interface Page {
  isOnline(): boolean
  isVisible(): boolean
  subscribe(listener: (event: PageEvent) => void): () => void
}

export type Locks = Pick<LockManager, 'request'>

/**
 * Everything the core takes from a browser. Node can inject each part, and the core runs the same.
 */
export interface Platform {
  fetch: typeof fetch
  WebSocket: typeof WebSocket
  indexedDB?: IDBFactory
  IDBKeyRange?: typeof IDBKeyRange
  /** Absent without HTTPS: then every visible tab syncs, which is safe. */
  locks?: Locks
  /** `localStorage`. */
  texts?: KeyValueStorage
  /** The browser's quota for this origin, in bytes; absent where unreported. */
  estimate?: () => Promise<StorageRoom>
  page: Page
  /** Resolves when the page has drawn, or immediately without a page. */
  untilIdle?: () => Promise<void>
  now: () => number
  /** From 0 to 1, like `Math.random`. */
  random: () => number
  /** Only where several tabs share one process. */
  tab?: { device: string; name: string }
}
