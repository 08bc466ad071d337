/** A device's `localStorage`. */
export interface LabTexts extends Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key'> {
  readonly length: number
  /** Keeps its content: any later writer is already dead. */
  freeze(): void
  thaw(): void
}

export function createLabTexts(): LabTexts {
  const texts = new Map<string, string>()
  const state = { isFrozen: false }
  return {
    getItem: (key) => texts.get(key) ?? null,
    key: (index) => [...texts.keys()][index] ?? null,
    get length() {
      return texts.size
    },
    setItem: (key, text) => void (state.isFrozen || texts.set(key, text)),
    removeItem: (key) => void (state.isFrozen || texts.delete(key)),
    freeze() {
      state.isFrozen = true
    },
    thaw() {
      state.isFrozen = false
    },
  }
}
