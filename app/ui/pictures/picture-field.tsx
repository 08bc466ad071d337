import { type ChangeEvent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Button } from '../buttons/button.tsx'
import { IconButton } from '../buttons/icon-button.tsx'
import { Avatar } from '../people/avatar.tsx'
import { checkPicture, type PicturePlace } from './check-picture.ts'
import type { Size } from './crop-frame.ts'
import styles from './picture-field.module.css'

const CropDialog = lazy(() =>
  import('./crop-dialog.tsx').then((module) => ({ default: module.CropDialog })),
)

interface PictureFieldProps {
  /** What it is a picture of: 'Profile picture'. */
  label: string
  name: string
  isGroup?: boolean
  /** In rem. */
  size?: number
  /** The current picture's URL. */
  picture: string | undefined
  /** Why the picture is only on this device so far, in words. */
  waiting?: string | undefined
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

/** A picture that this person may change, with the buttons that replace and remove it. */
export function PictureField(props: PictureFieldProps) {
  const { label, name, picture, waiting, place, size = 8, onSave, onRemove } = props
  const failure = `Failed to update ${label.toLowerCase()}`
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
    const drawn = await readSize(file)
    if (drawn) setChosen({ file, size: drawn, url: URL.createObjectURL(file) })
    else setError("This picture can't be opened. Please choose another one.")
  }

  return (
    <div className={styles.own}>
      <div className={styles.face}>
        <Avatar name={name} picture={picture} size={size} isGroup={props.isGroup} />
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
        aria-label={label}
        onChange={(event) => void choose(event)}
      />
      {picture !== undefined && (
        <Button
          look="quiet"
          onClick={() => {
            setError(undefined)
            onRemove().catch((cause: unknown) => setError((cause as Error).message || failure))
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
            title={label}
            failure={failure}
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
