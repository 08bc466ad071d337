import { lazy } from 'react'

const loadSearchResults = () =>
  import('./search-results.tsx').then((module) => ({ default: module.SearchResults }))

/** Loads when a search starts. */
export const LazySearchResults = lazy(loadSearchResults)

/** Prefetches the results' code, so that the first key need not wait for it. */
export function prefetchSearchResults(): void {
  loadSearchResults().catch(() => {})
}

export const LazyStarredList = lazy(() =>
  import('./starred-list.tsx').then((module) => ({ default: module.StarredList })),
)
