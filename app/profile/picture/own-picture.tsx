import { type ChangeEvent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/buttons/button.tsx'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { Avatar } from '../../ui/people/avatar.tsx'
import { checkPicture, type PicturePlace } from './check-picture.ts'
import type { Size } from './crop-frame.ts'
import styles from './own-picture.module.css'

const CropDialog = lazy(() =>
  import('./crop-dialog.tsx').then((module) => ({ default: module.CropDialog })),
)

export interface OwnPictureProps {
  name: string
  /** The current picture's URL. */
  picture: string | undefined
  /** Why the picture is only on this device so far, in words. */
  waiting: string | undefined
  place: PicturePlace
  /** Rejects with words for a person. */
  onSave(picture: Blob): Promise<void>
  /** Takes the picture away. Rejects with words for a person. */
  onRemove(): Promise<void>
}

interface Chosen {
  file: File
  url: string
  size: Size
}

/** One's own picture, with the button that replaces it. */
export function OwnPicture(props: OwnPictureProps) {
  const { name, picture, waiting, place, onSave, onRemove } = props
  const input = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<Chosen>()
  const [error, setError] = useState<string>()
  useEffect(() => () => void (chosen && URL.revokeObjectURL(chosen.url)), [chosen])

  async function choose(event: ChangeEvent<HTMLInputElement>) {
    const file = event.target.files?.[0]
    // The same file may be chosen again.
    event.target.value = ''
    const problem = checkPicture(file, place)
    setError(problem)
    if (!file || problem) return
    const size = await readSize(file)
    if (size) setChosen({ file, size, url: URL.createObjectURL(file) })
    else setError("This picture can't be opened. Please choose another one.")
  }

  return (
    <div className={styles.own}>
      <div className={styles.face}>
        <Avatar name={name} picture={picture} size={8} />
        <IconButton
          className={styles.camera}
          icon="camera"
          label="Change picture"
          onClick={() => input.current?.click()}
        />
      </div>
      <input
        ref={input}
        type="file"
        hidden
        accept={place === 'page' ? 'image/jpeg,image/png,image/webp' : 'image/*'}
        aria-label="Profile picture"
        onChange={(event) => void choose(event)}
      />
      {picture !== undefined && (
        <Button
          look="quiet"
          onClick={() => {
            setError(undefined)
            onRemove().catch((cause: unknown) =>
              setError((cause as Error).message || 'Failed to update profile picture'),
            )
          }}
        >
          Remove picture
        </Button>
      )}
      {waiting && (
        <p className={styles.waiting} role="status">
          {waiting}
        </p>
      )}
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      {chosen && (
        <Suspense fallback={null}>
          <CropDialog
            file={chosen.file}
            url={chosen.url}
            picture={chosen.size}
            onClose={() => setChosen(undefined)}
            onSave={onSave}
          />
        </Suspense>
      )}
    </div>
  )
}

/** The size as shown, after EXIF rotation; undefined if this browser cannot draw it. */
async function readSize(file: Blob): Promise<Size | undefined> {
  const bitmap = await createImageBitmap(file).catch(() => undefined)
  if (!bitmap) return undefined
  const { width, height } = bitmap
  bitmap.close()
  return { width, height }
}
