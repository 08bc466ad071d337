import { countBackLayers } from './count-back-layers.ts'

/** True while the step back is pending: a layer that closes meanwhile must not step back itself. */
const leaving = { isUnderWay: false }

export function areBackLayersBeingLeft(): boolean {
  return leaving.isUnderWay
}

/** Closes the open layers by going back over their history entries, then calls `goOn`. */
export function leaveBackLayers(goOn: () => void): void {
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
