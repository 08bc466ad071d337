/** An observable value. The snapshot, and each unchanged part of it, keeps its object identity. */
export interface LiveValue<T> {
  getSnapshot(): T
  subscribe(listener: () => void): () => void
}

export interface SettableLiveValue<T> extends LiveValue<T> {
  /** Notifies the listeners, unless the value is unchanged. */
  set(value: T): void
  hasListeners(): boolean
}

export function createLiveValue<T>(initial: T): SettableLiveValue<T> {
  const listeners = new Set<() => void>()
  let current = initial
  return {
    getSnapshot: () => current,
    subscribe(listener) {
      // Two subscriptions with one function are two subscriptions.
      const own = () => listener()
      listeners.add(own)
      return () => listeners.delete(own)
    },
    set(value) {
      if (Object.is(value, current)) return
      current = value
      for (const listener of [...listeners]) listener()
    },
    hasListeners: () => listeners.size > 0,
  }
}

/** The person's scrolling and typing take precedence over drawing what was just read. */
export function yieldToBrowser(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}
