import { useSyncExternalStore } from 'react'

/** A value that changes; the snapshot is the same object until it does. */
export interface LiveSource<T> {
  getSnapshot(): T
  subscribe(listener: () => void): () => void
}

/** The current value; rerenders when it changes. */
export function useLiveValue<T>(source: LiveSource<T>): T {
  return useSyncExternalStore(source.subscribe, source.getSnapshot)
}

/**
 * A part of the value; rerenders only when the part changes. `select` returns a primitive or a
 * cached object.
 */
export function useLivePart<T, P>(source: LiveSource<T>, select: (whole: T) => P): P {
  return useSyncExternalStore(source.subscribe, () => select(source.getSnapshot()))
}
