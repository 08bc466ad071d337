/** How many open layers Back closes before it leaves the page: see `BackLayers`. */
export function countBackLayers(): number {
  const state: unknown = history.state
  const count: unknown = typeof state === 'object' && state && Reflect.get(state, 'backLayers')
  return typeof count === 'number' ? count : 0
}
