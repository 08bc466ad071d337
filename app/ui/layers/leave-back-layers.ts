import { countBackLayers } from './count-back-layers.ts'

/** The step back is on its way: what closes meanwhile takes no step of its own. */
const leaving = { isUnderWay: false }

export function areBackLayersBeingLeft(): boolean {
  return leaving.isUnderWay
}

/** Closes the open layers by going back over them, and then goes on. */
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
