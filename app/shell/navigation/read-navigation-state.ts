/** A text from the navigation state, such as a search query. */
export function readNavigationState(state: unknown, key: string): string | undefined {
  if (typeof state !== 'object' || state === null) return undefined
  const value: unknown = Reflect.get(state, key)
  return typeof value === 'string' ? value : undefined
}
