import { Dexie } from 'dexie'
import type { MessageDocument } from '../../schema/message.ts'
import type { MessageSource } from '../database/search/message-source.ts'
import type { IndexProgress, SearchIndex } from '../database/search/search-index.ts'
import type { PetrelDatabase } from '../database/storage/open-database.ts'
import { createLiveValue } from '../database/views/live-value.ts'
import type { MessageSearch } from './messenger-types.ts'

/** The index lags writes by this much, so that it never competes with the screen. */
const followAfterMs = 400

interface MessageSearchOptions {
  database: PetrelDatabase
  indexedDB: IDBFactory | undefined
  IDBKeyRange: typeof globalThis.IDBKeyRange | undefined
  onError: (cause: unknown) => void
}

/** Search over the device's messages. Loads its code and opens its index on first use. */
export function createMessageSearch(options: MessageSearchOptions): MessageSearch & {
  close(): Promise<void>
  /** Deletes the index from the device; after `close`. */
  erase(): Promise<void>
} {
  const { database, indexedDB, IDBKeyRange, onError } = options
  const progress = createLiveValue<IndexProgress>({ state: 'building', share: 0 })
  const state: { opening?: Promise<SearchIndex<MessageDocument>>; isClosed: boolean } = {
    isClosed: false,
  }

  async function openIndex(): Promise<SearchIndex<MessageDocument>> {
    const [{ createSearchIndex }, { createMessageSource }] = await Promise.all([
      import('../database/search/search-index.ts'),
      import('../database/search/database-message-source.ts'),
    ])
    if (state.isClosed) throw new Error('The messages of this device have been closed.')
    const index = await createSearchIndex({
      databaseName: database.name,
      messages: followLater(createMessageSource(database)),
      indexedDB,
      IDBKeyRange,
    })
    const tell = () => progress.set(index.progress.getSnapshot())
    index.progress.subscribe(tell)
    tell()
    return index
  }

  function open(): Promise<SearchIndex<MessageDocument>> {
    state.opening ??= openIndex().catch((cause: unknown) => {
      delete state.opening
      throw cause
    })
    return state.opening
  }

  return {
    progress,
    prepare() {
      open().catch(onError)
    },
    find: async (request) => (await open()).search(request),
    async close() {
      state.isClosed = true
      await state.opening?.then((index) => index.close()).catch(onError)
    },
    erase: () =>
      new Dexie(`${database.name}-search`, {
        ...(indexedDB && { indexedDB }),
        ...(IDBKeyRange && { IDBKeyRange }),
      }).delete(),
  }
}

/** The same messages, with change notifications delayed and batched. */
function followLater<T extends MessageDocument>(source: MessageSource<T>): MessageSource<T> {
  return {
    ...source,
    subscribe(onChange) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const unsubscribe = source.subscribe(() => {
        timer ??= setTimeout(() => {
          timer = undefined
          onChange()
        }, followAfterMs)
      })
      return () => {
        clearTimeout(timer)
        unsubscribe()
      }
    },
  }
}
