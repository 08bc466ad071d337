/** A text that came with the navigation, such as the query of a search. */
export function readNavigationState(state: unknown, key: string): string | undefined {
  if (typeof state !== 'object' || state === null) return undefined
  const value: unknown = Reflect.get(state, key)
  return typeof value === 'string' ? value : undefined
}
