import { LRUCache } from 'lru-cache'
import type { Operation } from './level-store.ts'

/** Of all databases together: what a few thousand people who write now use again. */
const charactersRemembered = 16 * 1024 * 1024
/** An entry of V8's and of the cache's own. */
const charactersBesides = 200

/** What one database's keys hold, as long as all its writes go through `write`. */
export interface RecentView {
  /** From memory, or else by `readStored`. @returns undefined for a missing key */
  read(key: string, readStored: () => Promise<string | undefined>): Promise<string | undefined>
  /** Remembers what `store` has stored. */
  write(operations: readonly Operation[], store: () => Promise<void>): Promise<void>
}

/**
 * Remembers what the keys of documents hold: a conversation rises all day, and each time is two
 * waits for a thread. A view lasts as long as nobody else writes to its database, so what is
 * remembered is what is stored.
 * @param isRemembered of which keys
 */
export function createRecentKeys({ isRemembered }: { isRemembered: (key: string) => boolean }) {
  const texts = new LRUCache<string, { text: string | undefined }>({
    maxSize: charactersRemembered,
    sizeCalculation: ({ text }, key) => key.length + (text?.length ?? 0) + charactersBesides,
  })
  const state = { views: 0 }

  function openView(): RecentView {
    state.views += 1
    const prefix = `${state.views} `
    const own = { writing: 0, writes: 0 }

    function record({ key, ...operation }: Operation) {
      if (!isRemembered(key)) return
      const text = operation.type === 'put' ? operation.value : undefined
      if (typeof text === 'string') texts.set(prefix + key, { text })
      else texts.delete(prefix + key)
    }

    return {
      async read(key, readStored) {
        const found = texts.get(prefix + key)
        if (found) return found.text
        const { writes } = own
        const text = await readStored()
        // A write meanwhile may be newer than this read.
        const isNewest = own.writing === 0 && own.writes === writes
        if (isNewest && isRemembered(key)) texts.set(prefix + key, { text })
        return text
      },
      async write(operations, store) {
        own.writing += 1
        try {
          await store()
          for (const operation of operations) record(operation)
        } finally {
          own.writing -= 1
          own.writes += 1
        }
      },
    }
  }

  return { openView }
}
