import { lazy } from 'react'

const loadSearchResults = () =>
  import('./search-results.tsx').then((module) => ({ default: module.SearchResults }))

/** Fetched when somebody begins to search. */
export const LazySearchResults = lazy(loadSearchResults)

/** Fetches the results' code ahead, so that the first key is not waited for. */
export function prefetchSearchResults(): void {
  loadSearchResults().catch(() => {})
}

export const LazyStarredList = lazy(() =>
  import('./starred-list.tsx').then((module) => ({ default: module.StarredList })),
)
