import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { limits } from '../../../schema/limits.ts'
import { Button } from '../buttons/button.tsx'
import { Dialog } from '../dialogs/dialog.tsx'
import { useLatest } from '../hooks/use-latest.ts'
import styles from './crop-dialog.module.css'
import {
  type Crop,
  type CropShape,
  dragCrop,
  findCropBox,
  fitInto,
  maxZoom,
  type Size,
  shapeCrop,
  wholeCrop,
  zoomCrop,
} from './crop-frame.ts'

/** What keys do, in parts of the frame: they move the frame, and so the picture the other way. */
const moves: Record<string, { x: number; y: number }> = {
  ArrowLeft: { x: 0.05, y: 0 },
  ArrowRight: { x: -0.05, y: 0 },
  ArrowUp: { x: 0, y: 0.05 },
  ArrowDown: { x: 0, y: -0.05 },
}

const zooms: Record<string, number> = { '+': 1.1, '=': 1.1, '-': 1 / 1.1 }

const wheelZoom = 1.0015

export interface CropDialogProps {
  file: Blob
  /** Its object URL. */
  url: string
  picture: Size
  title: string
  /** Said where saving gives no words. */
  failure: string
  /** Rejects with words for a person; then the dialog stays open. */
  onSave(picture: Blob): Promise<void>
  onClose(): void
}

const shapes: readonly { shape: CropShape; name: string }[] = [
  { shape: 'square', name: 'Square' },
  { shape: 'original', name: 'Original' },
]

/** Chooses the part of a picture that becomes that of a person or a group. */
export function CropDialog(props: CropDialogProps) {
  const { file, url, picture, title, failure, onSave, onClose } = props
  const [crop, setCrop] = useState(wholeCrop)
  const [error, setError] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const gestures = useCropGestures({ picture, crop, onCrop: setCrop })
  const hintId = useId()
  const zoomId = useId()
  const box = findCropBox(picture, crop)
  async function save() {
    setIsBusy(true)
    setError(undefined)
    try {
      await onSave(await cutPicture(file, crop))
      onClose()
    } catch (cause) {
      setError((cause instanceof Error && cause.message) || failure)
      setIsBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      <div
        {...gestures}
        className={styles.frame}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move the picture.
        tabIndex={0}
        role="application"
        aria-label="Picture"
        aria-describedby={hintId}
        style={{ '--shape': box.width / box.height } as CSSProperties}
      >
        <img
          src={url}
          alt=""
          draggable={false}
          style={{
            width: percent(picture.width / box.width),
            height: percent(picture.height / box.height),
            left: percent(-box.left / box.width),
            top: percent(-box.top / box.height),
          }}
        />
      </div>
      <p id={hintId} className={styles.hint}>
        Drag to move. Pinch, scroll, or press + and − to zoom.
      </p>
      <fieldset className={styles.shapes}>
        <legend>Shape</legend>
        {shapes.map(({ shape, name }) => (
          <label key={shape}>
            <input
              type="radio"
              name="shape"
              checked={crop.shape === shape}
              onChange={() => setCrop(shapeCrop(picture, crop, shape))}
            />
            {name}
          </label>
        ))}
      </fieldset>
      <div className={styles.zoom}>
        <label htmlFor={zoomId}>Zoom</label>
        <input
          id={zoomId}
          type="range"
          min={1}
          max={maxZoom}
          step={0.05}
          value={crop.zoom}
          onChange={(event) => setCrop(zoomCrop(picture, crop, event.target.valueAsNumber))}
        />
      </div>
      <div className={styles.buttons}>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button isBusy={isBusy} onClick={() => void save()}>
          {isBusy ? 'Saving...' : 'Use picture'}
        </Button>
      </div>
    </Dialog>
  )
}

function percent(part: number): string {
  return `${part * 100}%`
}

/**
 * The chosen part as it is uploaded: within 800 by 600, JPEG at quality 0.8, without metadata.
 * @throws with words for a person
 */
async function cutPicture(picture: Blob, crop: Crop): Promise<Blob> {
  const bitmap = await createImageBitmap(picture)
  try {
    const box = findCropBox(bitmap, crop)
    const size = fitInto(box, limits.pictureBox)
    const canvas = document.createElement('canvas')
    Object.assign(canvas, size)
    const context = canvas.getContext('2d')
    if (!context) throw new Error('This browser cannot change pictures.')
    // JPEG has no transparency.
    context.fillStyle = '#ffffff'
    context.fillRect(0, 0, size.width, size.height)
    context.imageSmoothingQuality = 'high'
    context.drawImage(
      bitmap,
      ...([box.left, box.top, box.width, box.height] as const),
      ...([0, 0, size.width, size.height] as const),
    )
    const cut = await new Promise<Blob | null>((resolve) =>
      canvas.toBlob(resolve, 'image/jpeg', limits.pictureBox.quality),
    )
    if (!cut) throw new Error('This browser cannot change pictures.')
    if (cut.size > limits.pictureOutputMaxBytes) {
      throw new Error('Image is too large even after compression. Please choose a smaller image.')
    }
    return cut
  } finally {
    bitmap.close()
  }
}

/** Moves and zooms the picture by mouse, touch, wheel and keyboard. */
function useCropGestures(options: { picture: Size; crop: Crop; onCrop(crop: Crop): void }) {
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
