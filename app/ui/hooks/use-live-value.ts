import { useSyncExternalStore } from 'react'

/** Something that changes; the snapshot is the same object until it does. */
export interface LiveSource<T> {
  getSnapshot(): T
  subscribe(listener: () => void): () => void
}

/** The value as it is now; draws again when it changes. */
export function useLiveValue<T>(source: LiveSource<T>): T {
  return useSyncExternalStore(source.subscribe, source.getSnapshot)
}

/** A part of the value; draws again only when it changes. `select` returns a primitive or a kept object. */
export function useLivePart<T, P>(source: LiveSource<T>, select: (whole: T) => P): P {
  return useSyncExternalStore(source.subscribe, () => select(source.getSnapshot()))
}
