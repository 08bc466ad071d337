import { createDeferred } from '../../../../schema/helpers/deferred.ts'

/** Sends waiting items together, one parcel after the other; of equal keys only the last. */
export function createParcels<Item>(send: (items: readonly Item[]) => Promise<void>) {
  let waiting = new Map<string, Item>()
  let next = createDeferred<void>()
  let isSending = false

  async function run() {
    isSending = true
    while (waiting.size > 0) {
      const [items, sent] = [[...waiting.values()], next]
      waiting = new Map()
      next = createDeferred<void>()
      await send(items).then(sent.resolve, sent.reject)
    }
    isSending = false
  }

  return {
    /** Resolves when it was sent. */
    add(key: string, item: Item): Promise<void> {
      waiting.set(key, item)
      const { promise } = next
      // Items added in one moment go together.
      if (!isSending) {
        isSending = true
        queueMicrotask(() => void run())
      }
      return promise
    },
  }
}
