import { useSyncExternalStore } from 'react'

interface MediaQuerySource {
  get(): boolean
  subscribe(listener: () => void): () => void
}

/** One `MediaQueryList` for each of the app's few queries: creating one is slow. */
const sources = new Map<string, MediaQuerySource>()

/** Does the media query match now? */
export function useMediaQuery(query: string): boolean {
  const source = sources.get(query) ?? createSource(query)
  return useSyncExternalStore(source.subscribe, source.get)
}

function createSource(query: string): MediaQuerySource {
  const list = matchMedia(query)
  const source: MediaQuerySource = {
    get: () => list.matches,
    subscribe(listener) {
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
  }
  sources.set(query, source)
  return source
}
