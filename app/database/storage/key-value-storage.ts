/**
 * Small texts, written synchronously, that survive a reload: `localStorage`, or the lab's stand-in.
 */
export type KeyValueStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/** An in-memory text store that lives as long as its owner. */
export function createKeyValueStorage(): KeyValueStorage {
  const texts = new Map<string, string>()
  return {
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, text) => void texts.set(key, text),
    removeItem: (key) => void texts.delete(key),
    key: (index) => [...texts.keys()][index] ?? null,
    get length() {
      return texts.size
    },
  }
}
