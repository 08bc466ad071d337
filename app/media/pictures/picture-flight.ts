/** The mark of a picture in a chat or on a page: its message's id. */
export const pictureMark = 'data-picture'

const flightMs = 240
const easing = 'cubic-bezier(0.2, 0.8, 0.3, 1)'

/** The place of a message's picture beneath the viewer, if it is in sight. */
function findPlace(messageId: string): DOMRect | undefined {
  const element = document.querySelector(`[${pictureMark}="${messageId}"]`)
  const box = element?.getBoundingClientRect()
  if (!box || box.width === 0) return undefined
  const isInSight =
    box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth
  return isInSight ? box : undefined
}

function isStill(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

function wayBetween(from: DOMRect, to: DOMRect) {
  const scale = from.width / to.width
  const x = from.left + from.width / 2 - to.left - to.width / 2
  const y = from.top + from.height / 2 - to.top - to.height / 2
  return { translate: `${x}px ${y}px`, scale: String(scale) }
}

/** Lets a picture of the viewer grow from its place beneath. */
export function flyFromPlace(messageId: string, picture: HTMLElement): void {
  const place = findPlace(messageId)
  if (!place || isStill()) return
  picture.animate([wayBetween(place, picture.getBoundingClientRect()), {}], {
    duration: flightMs,
    easing,
  })
}

/**
 * Lets a picture shrink back to its place. It is a copy that flies: the viewer can go at once, and
 * nothing waits for it.
 */
export function flyToPlace(messageId: string, picture: HTMLElement): void {
  const place = findPlace(messageId)
  const image = picture.querySelector<HTMLImageElement>('img')
  const box = picture.getBoundingClientRect()
  if (!place || !image?.complete || image.naturalWidth === 0 || box.width === 0 || isStill()) return
  const copy = document.createElement('canvas')
  const ratio = Math.min(2, devicePixelRatio)
  copy.width = Math.round(box.width * ratio)
  copy.height = Math.round(box.height * ratio)
  copy.getContext('2d')?.drawImage(image, 0, 0, copy.width, copy.height)
  copy.setAttribute('aria-hidden', 'true')
  Object.assign(copy.style, {
    position: 'fixed',
    left: `${box.left}px`,
    top: `${box.top}px`,
    width: `${box.width}px`,
    height: `${box.height}px`,
    zIndex: '60',
    pointerEvents: 'none',
  })
  document.body.append(copy)
  const end = { ...wayBetween(place, box), opacity: 0.4 }
  const flight = copy.animate([{ opacity: 1 }, end], { duration: flightMs, easing })
  flight.finished.then(
    () => copy.remove(),
    () => copy.remove(),
  )
}
