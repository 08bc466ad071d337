import {
  createKeyValueStorage,
  type KeyValueStorage,
} from '../../database/storage/key-value-storage.ts'

/**
 * One device's localStorage. When frozen it keeps its content: any later writer is already dead.
 */
export function createLabKeyValueStorage(): KeyValueStorage & { freeze(): void; thaw(): void } {
  const texts = createKeyValueStorage()
  const state = { isFrozen: false }
  return {
    getItem: texts.getItem,
    key: texts.key,
    get length() {
      return texts.length
    },
    setItem: (key, text) => state.isFrozen || texts.setItem(key, text),
    removeItem: (key) => state.isFrozen || texts.removeItem(key),
    freeze() {
      state.isFrozen = true
    },
    thaw() {
      state.isFrozen = false
    },
  }
}
