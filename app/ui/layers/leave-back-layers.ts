/** True while the step back is pending: a layer that closes meanwhile must not step back itself. */
const leaving = { isUnderWay: false }
/** True while closed layers' entries are being stepped over: they must not be counted again. */
const closing = { isUnderWay: false }

export function areBackLayersBeingLeft(): boolean {
  return leaving.isUnderWay
}

/** Tells that closed layers step back over their entries, or have done so. */
export function setLayersClosing(isUnderWay: boolean): void {
  closing.isUnderWay = isUnderWay
}

/**
 * Closes the open layers by going back over their history entries, then calls `goOn`. Ignored while
 * an earlier call is under way, as a second tap would go on twice.
 */
export function leaveBackLayers(goOn: () => void): void {
  if (leaving.isUnderWay) return
  if (closing.isUnderWay) {
    addEventListener('popstate', () => leaveBackLayers(goOn), { once: true })
    return
  }
  const count = countBackLayers()
  if (count === 0) {
    goOn()
    return
  }
  leaving.isUnderWay = true
  addEventListener(
    'popstate',
    () => {
      leaving.isUnderWay = false
      goOn()
    },
    { once: true },
  )
  history.go(-count)
}

/** How many open layers Back closes before it leaves the page: see `BackLayers`. */
export function countBackLayers(): number {
  const state: unknown = history.state
  const count: unknown = typeof state === 'object' && state && Reflect.get(state, 'backLayers')
  return typeof count === 'number' ? count : 0
}
