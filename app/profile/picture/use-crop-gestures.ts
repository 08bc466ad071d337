import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { type Crop, dragCrop, type Size, zoomCrop } from './crop-frame.ts'

/** What keys do, in parts of the frame: they move the frame, and so the picture the other way. */
const moves: Record<string, { x: number; y: number }> = {
  ArrowLeft: { x: 0.05, y: 0 },
  ArrowRight: { x: -0.05, y: 0 },
  ArrowUp: { x: 0, y: 0.05 },
  ArrowDown: { x: 0, y: -0.05 },
}
const zooms: Record<string, number> = { '+': 1.1, '=': 1.1, '-': 1 / 1.1 }
const wheelZoom = 1.0015

/** Moves and zooms the picture by mouse, touch, wheel and keyboard. */
export function useCropGestures(options: { picture: Size; crop: Crop; onCrop(crop: Crop): void }) {
  const latest = useLatest(options)
  const frame = useRef<HTMLDivElement>(null)
  const pointers = useRef(new Map<number, { x: number; y: number }>())

  const drag = (by: { x: number; y: number }) => {
    const { picture, crop, onCrop } = latest.current
    onCrop(dragCrop(picture, crop, by))
  }
  const zoomBy = (factor: number) => {
    const { picture, crop, onCrop } = latest.current
    onCrop(zoomCrop(picture, crop, crop.zoom * factor))
  }

  useEffect(() => {
    const element = frame.current
    // React listens passively to the wheel, and the page would scroll.
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      const { picture, crop, onCrop } = latest.current
      onCrop(zoomCrop(picture, crop, crop.zoom * wheelZoom ** -event.deltaY))
    }
    element?.addEventListener('wheel', onWheel, { passive: false })
    return () => element?.removeEventListener('wheel', onWheel)
  }, [latest])

  return {
    ref: frame,
    onPointerDown(event: PointerEvent<HTMLDivElement>) {
      event.currentTarget.setPointerCapture(event.pointerId)
      pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY })
    },
    onPointerMove(event: PointerEvent<HTMLDivElement>) {
      const before = pointers.current.get(event.pointerId)
      if (!before) return
      const now = { x: event.clientX, y: event.clientY }
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1]
      pointers.current.set(event.pointerId, now)
      const { width, height } = event.currentTarget.getBoundingClientRect()
      // Of two fingers each moves the picture by half of its way.
      const part = other ? 0.5 : 1
      drag({ x: (part * (now.x - before.x)) / width, y: (part * (now.y - before.y)) / height })
      if (other) zoomBy(distance(now, other) / Math.max(1, distance(before, other)))
    },
    onPointerUp: ({ pointerId }: PointerEvent) => void pointers.current.delete(pointerId),
    onPointerCancel: ({ pointerId }: PointerEvent) => void pointers.current.delete(pointerId),
    onKeyDown(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const move = moves[event.key]
      const zoom = zooms[event.key]
      if (!move && !zoom) return
      event.preventDefault()
      if (move) drag(move)
      if (zoom) zoomBy(zoom)
    },
  }
}

function distance(a: { x: number; y: number }, b: { x: number; y: number }): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}
