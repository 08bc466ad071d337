import { countBackLayers } from './count-back-layers.ts'

/** Closes the open layers by going back over them, and then goes on. */
export function leaveBackLayers(goOn: () => void): void {
  const count = countBackLayers()
  if (count > 0) {
    addEventListener('popstate', goOn, { once: true })
    history.go(-count)
  } else goOn()
}
