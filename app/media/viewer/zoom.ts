/** How a picture is drawn: so many times as large as it fits, and its middle so far from that of the stage, px. */
export interface Zoom {
  scale: number
  x: number
  y: number
}

interface Point {
  x: number
  y: number
}

/** The stage, and the picture as it fits into it, px. */
export interface ZoomSizes {
  stage: { width: number; height: number }
  picture: { width: number; height: number }
}

export const fitted: Zoom = { scale: 1, x: 0, y: 0 }
export const largest = 6

/** Draws it larger or smaller by a factor; what lies at a point, measured from the stage's middle, stays there. */
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

/** Moves it by so many px; its edges never come further than those of the stage. */
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

/** Adding 0 makes -0 a 0. */
function clamp(value: number, most: number): number {
  return Math.min(most, Math.max(-most, value)) + 0
}
