import { fitted, panBy, type Zoom, type ZoomSizes, zoomAt } from './zoom.ts'

/** A finger or a mouse, relative to the middle of the stage, px. `at`: ms. */
export interface Touch {
  pointerId: number
  x: number
  y: number
  at: number
}

interface PictureGestureOptions {
  readZoom(): Zoom
  readSizes(): ZoomSizes
  onZoom(zoom: Zoom): void
  /** Called with the sideways pull of a fitting picture, px; 0 on release. */
  onPull(px: number): void
  /** Called after a pull far enough for another picture: to the right for the one before. */
  onStep(direction: 'older' | 'newer'): void
}

/** A finger that has moved less may be a tap. */
const slackPx = 8
const stepPx = 60
const doublePressMs = 300
const doublePressPx = 30
const pressFactor = 2.5

/**
 * Gestures: pinch or double tap to zoom, pan while zoomed, and pull sideways for the next picture.
 */
export function createPictureGestures(options: PictureGestureOptions) {
  const { readZoom, readSizes, onZoom, onPull, onStep } = options
  const down = new Map<number, Touch>()
  let start: Touch | undefined
  let lastPress: Touch | undefined
  /** Did several fingers touch, or has one moved? Then it is no tap, or no pull. */
  let wasPinch = false
  let hasMoved = false

  function pinch(before: Touch, now: Touch) {
    const other = [...down.values()].find(({ pointerId }) => pointerId !== now.pointerId)
    if (!other) return
    const from = Math.hypot(before.x - other.x, before.y - other.y)
    const to = Math.hypot(now.x - other.x, now.y - other.y)
    const sizes = readSizes()
    const at = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }
    const zoomed = zoomAt(readZoom(), { factor: from > 0 ? to / from : 1, at, sizes })
    const by = { x: (now.x - before.x) / 2, y: (now.y - before.y) / 2 }
    onZoom(zoomed.scale === 1 ? fitted : panBy(zoomed, by, sizes))
  }

  function press(touch: Touch) {
    const isSecond =
      lastPress !== undefined &&
      touch.at - lastPress.at < doublePressMs &&
      Math.hypot(touch.x - lastPress.x, touch.y - lastPress.y) < doublePressPx
    lastPress = isSecond ? undefined : touch
    if (!isSecond) return
    const zoom = readZoom()
    const larger = zoomAt(zoom, { factor: pressFactor, at: touch, sizes: readSizes() })
    onZoom(zoom.scale > 1 ? fitted : larger)
  }

  return {
    begin(touch: Touch) {
      down.set(touch.pointerId, touch)
      if (down.size > 1) {
        wasPinch = true
        onPull(0)
        return
      }
      start = touch
      wasPinch = false
      hasMoved = false
    },
    move(touch: Touch) {
      const before = down.get(touch.pointerId)
      if (!before || !start) return
      down.set(touch.pointerId, touch)
      if (down.size === 2) return pinch(before, touch)
      hasMoved ||= Math.hypot(touch.x - start.x, touch.y - start.y) > slackPx
      if (!hasMoved) return
      const zoom = readZoom()
      if (zoom.scale > 1) {
        onZoom(panBy(zoom, { x: touch.x - before.x, y: touch.y - before.y }, readSizes()))
      } else if (!wasPinch) onPull(touch.x - start.x)
    },
    end(touch: Touch) {
      if (!down.delete(touch.pointerId) || down.size > 0 || !start) return
      const [right, under] = [touch.x - start.x, Math.abs(touch.y - start.y)]
      if (!wasPinch && !hasMoved) press(touch)
      onPull(0)
      if (wasPinch || !hasMoved || readZoom().scale > 1) return
      if (Math.abs(right) >= stepPx && Math.abs(right) > under) {
        onStep(right > 0 ? 'older' : 'newer')
      }
    },
    cancel({ pointerId }: Pick<Touch, 'pointerId'>) {
      down.delete(pointerId)
      wasPinch = true
      onPull(0)
    },
  }
}
