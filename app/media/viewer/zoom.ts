/**
 * A picture's transform: its scale relative to the fitting size, and its centre's offset from the
 * stage's, px.
 */
export interface Zoom {
  scale: number
  x: number
  y: number
}

interface Point {
  x: number
  y: number
}

/** The sizes of the stage and of the fitting picture, px. */
export interface ZoomSizes {
  stage: { width: number; height: number }
  picture: { width: number; height: number }
}

export const fitted: Zoom = { scale: 1, x: 0, y: 0 }
export const largest = 6

/** Zooms by a factor; the given point, relative to the stage's middle, stays in place. */
export function zoomAt(
  zoom: Zoom,
  { factor, at = { x: 0, y: 0 }, sizes }: { factor: number; at?: Point; sizes: ZoomSizes },
): Zoom {
  const scale = Math.min(largest, Math.max(1, zoom.scale * factor))
  if (scale === 1) return fitted
  const real = scale / zoom.scale
  const x = at.x - (at.x - zoom.x) * real
  const y = at.y - (at.y - zoom.y) * real
  return keepInSight({ scale, x, y }, sizes)
}

/** Pans by the given px; the picture's edges stop at those of the stage. */
export function panBy(zoom: Zoom, by: Point, sizes: ZoomSizes): Zoom {
  return keepInSight({ ...zoom, x: zoom.x + by.x, y: zoom.y + by.y }, sizes)
}

function keepInSight({ scale, x, y }: Zoom, { stage, picture }: ZoomSizes): Zoom {
  const [wide, high] = [
    Math.max(0, (picture.width * scale - stage.width) / 2),
    Math.max(0, (picture.height * scale - stage.height) / 2),
  ]
  return { scale, x: clamp(x, wide), y: clamp(y, high) }
}

/** Adding 0 turns -0 into 0. */
function clamp(value: number, most: number): number {
  return Math.min(most, Math.max(-most, value)) + 0
}
