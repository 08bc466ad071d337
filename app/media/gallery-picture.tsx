import {
  type CSSProperties,
  type PointerEvent,
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { MessageDocument } from '../../schema/message.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { formatBytes } from '../ui/format/format-amounts.ts'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { readFileFacts } from './files/file-facts.ts'
import styles from './gallery.module.css'
import { useShownFile } from './loading/use-file.ts'
import { flyFromPlace, flyToPlace } from './pictures/picture-flight.ts'
import { PictureLayers } from './pictures/picture-layers.tsx'

export const fitted: Zoom = { scale: 1, x: 0, y: 0 }

export const largest = 6

/** A finger that has moved less may be a tap. */
const slackPx = 8

const stepPx = 60

const dismissPx = 110

const doublePressMs = 300

const doublePressPx = 30

const pressFactor = 2.5

const keyFactor = 1.5

const keyPanPx = 80

const wheelShare = 0.002

/** The picture's movement for each arrow: reveals that side. */
const arrows = {
  ArrowLeft: { x: 1, y: 0 },
  ArrowRight: { x: -1, y: 0 },
  ArrowUp: { x: 0, y: 1 },
  ArrowDown: { x: 0, y: -1 },
}

export interface GalleryPictureHandle {
  /** False for a key that the picture does not use. */
  takeKey(key: string): boolean
  /** Lets it fly back to its place in the chat. */
  fly(): void
}

interface GalleryPictureProps {
  messenger: Messenger
  message: MessageDocument
  /** Its bytes, if prefetched. */
  known: Blob | undefined
  onStep(direction: 'older' | 'newer'): void
  /** Called when a finger has pulled it down. */
  onDismiss(): void
  /** Was it pressed in the chat, so that it grows from there? */
  isFirst: boolean
  ref: Ref<GalleryPictureHandle>
}

/** One picture in the gallery: its blur until it loads, then the picture, with zoom and pan. */
export function GalleryPicture(props: GalleryPictureProps) {
  const { messenger, message, known, isFirst, ref } = props
  const { view, load, url, isReady, isBroken, onError } = useShownFile({
    messenger,
    message,
    isAutomatic: true,
    known,
  })
  const [drawn, setDrawn] = useState<{ width: number; height: number }>()
  const stage = useRef<HTMLDivElement>(null)
  const picture = useRef<HTMLDivElement>(null)
  const { zoom, pull, sink, zoomIn, zoomOut, takeKey, pointers } = usePictureZoom({
    stage,
    picture,
    onStep: props.onStep,
    onDismiss: props.onDismiss,
  })
  useImperativeHandle(ref, () => ({
    takeKey,
    fly: () => picture.current && flyToPlace(message._id, picture.current),
  }))
  const [startsThere] = useState(isFirst)
  useLayoutEffect(() => {
    if (startsThere && picture.current) flyFromPlace(message._id, picture.current)
  }, [startsThere, message._id])
  const { name, size } = readFileFacts(message)
  const { width = drawn?.width ?? 4, height = drawn?.height ?? 3 } = message.file ?? {}
  const place = `translate(${zoom.x + pull}px, ${zoom.y + sink}px) scale(${zoom.scale * (1 - sink / 2_000)})`
  return (
    <>
      <div
        ref={stage}
        className={styles.stage}
        data-zoomed={zoom.scale > 1}
        style={sink > 0 ? { opacity: Math.max(0.4, 1 - sink / 600) } : {}}
        {...pointers}
      >
        <div
          ref={picture}
          className={styles.picture}
          style={
            {
              '--ratio': width / height,
              '--width': `${drawn?.width ?? width}px`,
              transform: place,
            } as CSSProperties
          }
        >
          <PictureLayers
            blur={drawn ? undefined : message.file?.preview}
            url={url}
            isReady={isReady}
            alt={message.content || name}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
              setDrawn({ width: naturalWidth, height: naturalHeight })
            }
            onError={onError}
          />
        </div>
      </div>
      {view.kind === 'away' && (
        <button type="button" className={styles.wish} onClick={() => void load()}>
          <Icon name="download" size={18} />
          {view.problem ?? (size === undefined ? 'Load picture' : `Load ${formatBytes(size)}`)}
        </button>
      )}
      {view.kind === 'loading' && <p className={styles.wish}>Loading…</p>}
      {isBroken && <p className={styles.wish}>This picture can't be shown.</p>}
      {url !== undefined && (
        <div className={styles.zoom}>
          <IconButton
            icon="zoomOut"
            label="Zoom out"
            aria-disabled={zoom.scale === 1}
            onClick={zoomOut}
          />
          <IconButton
            icon="zoomIn"
            label="Zoom in"
            aria-disabled={zoom.scale === largest}
            onClick={zoomIn}
          />
        </div>
      )}
    </>
  )
}

/** The zoom of one picture on its stage, by pointer, wheel and keys. */
function usePictureZoom(options: {
  stage: RefObject<HTMLElement | null>
  picture: RefObject<HTMLElement | null>
  onStep(direction: 'older' | 'newer'): void
  onDismiss(): void
}) {
  const { stage, picture } = options
  const [zoom, setZoom] = useState<Zoom>(fitted)
  const [pull, setPull] = useState(0)
  const [sink, setSink] = useState(0)
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
      onSink: setSink,
      onDismiss: () => latest.current.onDismiss(),
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
    sink,
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

/** The layout size, without the transform. */
function sizeOf(element: HTMLElement | null) {
  return { width: element?.offsetWidth ?? 0, height: element?.offsetHeight ?? 0 }
}

/** A finger or a mouse, relative to the middle of the stage, px. `at`: ms. */
interface Touch {
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
  /** Called with the pull downwards of a fitting picture, px; 0 on release. */
  onSink(px: number): void
  /** Called after a pull downwards far enough to close it. */
  onDismiss(): void
  /** Called after a pull far enough for another picture: to the right for the one before. */
  onStep(direction: 'older' | 'newer'): void
}

/**
 * Gestures: pinch or double tap to zoom, pan while zoomed, pull sideways for the next picture, and
 * down to close.
 */
export function createPictureGestures(options: PictureGestureOptions) {
  const { readZoom, readSizes, onZoom, onPull, onSink, onStep } = options
  const down = new Map<number, Touch>()
  let start: Touch | undefined
  let lastPress: Touch | undefined
  /** Did several fingers touch, or has one moved? Then it is no tap, or no pull. */
  let wasPinch = false
  let hasMoved = false
  /** Where the first movement led: the finger then stays on that way. */
  let way: 'sideways' | 'down' | undefined

  function rest() {
    onPull(0)
    onSink(0)
    way = undefined
  }

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
        rest()
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
        return
      }
      if (wasPinch) return
      const [right, under] = [touch.x - start.x, touch.y - start.y]
      way ??= under > Math.abs(right) ? 'down' : 'sideways'
      if (way === 'down') onSink(Math.max(0, under))
      else onPull(right)
    },
    end(touch: Touch) {
      if (!down.delete(touch.pointerId) || down.size > 0 || !start) return
      const [right, under] = [touch.x - start.x, Math.abs(touch.y - start.y)]
      if (!wasPinch && !hasMoved) press(touch)
      const wasDown = way === 'down'
      rest()
      if (wasPinch || !hasMoved || readZoom().scale > 1) return
      if (wasDown) {
        if (touch.y - start.y >= dismissPx) options.onDismiss()
      } else if (Math.abs(right) >= stepPx && Math.abs(right) > under) {
        onStep(right > 0 ? 'older' : 'newer')
      }
    },
    cancel({ pointerId }: Pick<Touch, 'pointerId'>) {
      down.delete(pointerId)
      wasPinch = true
      rest()
    },
  }
}

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
interface ZoomSizes {
  stage: { width: number; height: number }
  picture: { width: number; height: number }
}

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
