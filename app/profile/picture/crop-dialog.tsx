import { type CSSProperties, useId, useState } from 'react'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import styles from './crop-dialog.module.css'
import {
  type CropShape,
  findCropBox,
  maxZoom,
  type Size,
  shapeCrop,
  wholeCrop,
  zoomCrop,
} from './crop-frame.ts'
import { cutPicture } from './cut-picture.ts'
import { useCropGestures } from './use-crop-gestures.ts'

export interface CropDialogProps {
  file: Blob
  /** Its object URL. */
  url: string
  picture: Size
  /** Rejects with words for a person; then the dialog stays open. */
  onSave(picture: Blob): Promise<void>
  onClose(): void
}

const shapes: readonly { shape: CropShape; name: string }[] = [
  { shape: 'square', name: 'Square' },
  { shape: 'original', name: 'Original' },
]

/** Chooses the part of a picture that becomes the profile picture. */
export function CropDialog({ file, url, picture, onSave, onClose }: CropDialogProps) {
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
      setError((cause instanceof Error && cause.message) || 'Failed to update profile picture')
      setIsBusy(false)
    }
  }
  return (
    <Dialog title="Profile picture" onClose={onClose}>
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
