import { type PointerEvent, type RefObject, useEffect, useState } from 'react'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { createPictureGestures, type Touch } from './picture-gestures.ts'
import { fitted, panBy, type Zoom, type ZoomSizes, zoomAt } from './zoom.ts'

const keyFactor = 1.5
const keyPanPx = 80
const wheelShare = 0.002

/** The zoom of one picture on its stage, by pointer, wheel and keys. */
export function usePictureZoom(options: {
  stage: RefObject<HTMLElement | null>
  picture: RefObject<HTMLElement | null>
  onStep(direction: 'older' | 'newer'): void
}) {
  const { stage, picture } = options
  const [zoom, setZoom] = useState<Zoom>(fitted)
  const [pull, setPull] = useState(0)
  const latest = useLatest({ ...options, zoom })

  const readSizes = (): ZoomSizes => ({
    stage: sizeOf(stage.current),
    picture: sizeOf(picture.current),
  })
  const [gestures] = useState(() =>
    createPictureGestures({
      readZoom: () => latest.current.zoom,
      readSizes,
      onZoom: change,
      onPull: setPull,
      onStep: (direction) => latest.current.onStep(direction),
    }),
  )

  function change(now: Zoom) {
    // Several events may arrive before the next render.
    latest.current.zoom = now
    setZoom(now)
  }

  const readTouch = (event: PointerEvent<HTMLElement> | WheelEvent): Omit<Touch, 'pointerId'> => {
    const box = stage.current?.getBoundingClientRect()
    const x = event.clientX - (box ? box.left + box.width / 2 : 0)
    const y = event.clientY - (box ? box.top + box.height / 2 : 0)
    return { x, y, at: event.timeStamp }
  }
  const latestRead = useLatest(readTouch)

  useEffect(() => {
    const element = stage.current
    if (!element) return
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      const factor = Math.exp(-event.deltaY * wheelShare)
      const at = latestRead.current(event)
      const sizes = { stage: sizeOf(stage.current), picture: sizeOf(picture.current) }
      const now = zoomAt(latest.current.zoom, { factor, at, sizes })
      latest.current.zoom = now
      setZoom(now)
    }
    // React's own listeners are passive and cannot stop the page from zooming.
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [stage, picture, latest, latestRead])

  const zoomBy = (factor: number) => change(zoomAt(zoom, { factor, sizes: readSizes() }))
  const withId = (event: PointerEvent<HTMLElement>) => ({
    ...readTouch(event),
    pointerId: event.pointerId,
  })
  return {
    zoom,
    pull,
    zoomIn: () => zoomBy(keyFactor),
    zoomOut: () => zoomBy(1 / keyFactor),
    /** Handles a key that zooms, or pans a zoomed picture; false for other keys. */
    takeKey(key: string): boolean {
      if (key === '+' || key === '=') zoomBy(keyFactor)
      else if (key === '-') zoomBy(1 / keyFactor)
      else if (key === '0') change(fitted)
      else if (zoom.scale > 1 && key in arrows) {
        const by = arrows[key as keyof typeof arrows]
        change(panBy(zoom, { x: by.x * keyPanPx, y: by.y * keyPanPx }, readSizes()))
      } else return false
      return true
    },
    pointers: {
      onPointerDown(event: PointerEvent<HTMLElement>) {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        gestures.begin(withId(event))
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => gestures.move(withId(event)),
      onPointerUp: (event: PointerEvent<HTMLElement>) => gestures.end(withId(event)),
      onPointerCancel: (event: PointerEvent<HTMLElement>) => gestures.cancel(event),
    },
  }
}

/** The picture's movement for each arrow: reveals that side. */
const arrows = {
  ArrowLeft: { x: 1, y: 0 },
  ArrowRight: { x: -1, y: 0 },
  ArrowUp: { x: 0, y: 1 },
  ArrowDown: { x: 0, y: -1 },
}

/** The layout size, without the transform. */
function sizeOf(element: HTMLElement | null) {
  return { width: element?.offsetWidth ?? 0, height: element?.offsetHeight ?? 0 }
}
