import {
  type ChangeEvent,
  type FormEvent,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useRef,
  useState,
} from 'react'
import { wordsOf } from '../../schema/helpers/text.ts'
import { limits } from '../../schema/limits.ts'
import { type OwnUser, type ProfileChange, phoneNumber, profileName } from '../../schema/user.ts'
import { Button } from '../ui/buttons/button.tsx'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { Avatar } from '../ui/people/avatar.tsx'
import { checkPicture, type PicturePlace } from './check-picture.ts'
import type { Size } from './crop-frame.ts'
import ownPictureStyles from './own-picture.module.css'
import type { OwnProfile } from './own-profile.ts'
import { EmailNote, ProfileFacts } from './profile-facts.tsx'
import styles from './profile-page.module.css'

const CropDialog = lazy(() =>
  import('./crop-dialog.tsx').then((module) => ({ default: module.CropDialog })),
)

interface ProfileBodyProps {
  profile: OwnProfile
  place: PicturePlace
  isEditing: boolean
  onStop(): void
  /** Further facts in view mode. */
  children?: ReactNode
}

/** The picture, and the record to read or to edit. */
export function ProfileBody({ profile, place, isEditing, onStop, children }: ProfileBodyProps) {
  const { user, picture, waiting } = profile
  return (
    <>
      <OwnPicture
        name={user.username}
        picture={picture}
        waiting={waiting.picture}
        place={place}
        onSave={profile.onSavePicture}
        onRemove={profile.onRemovePicture}
      />
      {waiting.changes && (
        <p className={styles.waiting} role="status">
          {waiting.changes}
        </p>
      )}
      {isEditing ? (
        <ProfileForm user={user} onSave={profile.onSave} onClose={onStop} />
      ) : (
        <ProfileFacts user={user}>{children}</ProfileFacts>
      )}
    </>
  )
}

interface OwnPictureProps {
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
function OwnPicture(props: OwnPictureProps) {
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
    <div className={ownPictureStyles.own}>
      <div className={ownPictureStyles.face}>
        <Avatar name={name} picture={picture} size={8} />
        <IconButton
          className={ownPictureStyles.camera}
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
        <p className={ownPictureStyles.waiting} role="status">
          {waiting}
        </p>
      )}
      {error && (
        <p className={ownPictureStyles.error} role="alert">
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

interface ProfileFormProps {
  user: OwnUser
  onSave(change: ProfileChange): Promise<void>
  onClose(): void
}

/** Edits the record; Cancel restores the stored values. */
function ProfileForm({ user, onSave, onClose }: ProfileFormProps) {
  const [name, setName] = useState(user.username)
  const [about, setAbout] = useState(user.status)
  const ownPhone = user.phone_number ? `+${user.phone_number}` : ''
  const [phone, setPhone] = useState(ownPhone)
  const [error, setError] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  // A name older than the current rules stays valid until the person changes it.
  const isRenamed = name !== user.username

  async function save(event: FormEvent) {
    event.preventDefault()
    const checked = profileName.safeParse(name)
    if (isRenamed && !checked.success) return setError(checked.error.issues[0]?.message)
    const isNewNumber = phone.trim() !== ownPhone
    const number = phone.trim() === '' ? { data: null } : phoneNumber.safeParse(phone)
    if (isNewNumber && number.data === undefined) {
      return setError('error' in number ? number.error?.issues[0]?.message : undefined)
    }
    setIsBusy(true)
    setError(undefined)
    try {
      await onSave({
        ...(isRenamed ? { username: name } : {}),
        ...(isNewNumber ? { phone_number: number.data ?? null } : {}),
        status: about.trim(),
      })
      onClose()
    } catch (cause) {
      setError(wordsOf(cause, '') || 'Failed to update profile')
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <form className={styles.form} noValidate onSubmit={(event) => void save(event)}>
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      <label>
        Name
        <input
          ref={first}
          name="name"
          autoComplete="name"
          maxLength={limits.nameMaxLength}
          aria-describedby="name-note name-count"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <div className={styles.below}>
        <p id="name-note" className={styles.note}>
          {isRenamed
            ? `You'll sign in with the new name. “${user.username}” keeps working until someone else registers it.`
            : 'You sign in with this name.'}
        </p>
        <Counter id="name-count" length={name.length} limit={limits.nameMaxLength} />
      </div>
      <label>
        Email
        <input
          type="email"
          name="email"
          readOnly
          aria-describedby="email-note"
          value={user.email}
        />
      </label>
      <p className={styles.note}>
        <EmailNote id="email-note" />
      </p>
      <label>
        About
        <textarea
          name="about"
          rows={3}
          maxLength={limits.aboutMaxLength}
          placeholder="Add a few words about yourself"
          aria-describedby="about-count"
          value={about}
          onChange={(event) => setAbout(event.target.value)}
        />
      </label>
      <div className={styles.below}>
        <Counter id="about-count" length={about.length} limit={limits.aboutMaxLength} />
      </div>
      <label>
        Phone number
        <input
          type="tel"
          name="phone"
          autoComplete="tel"
          placeholder="+1234567890"
          maxLength={32}
          readOnly={Boolean(user.wa_id)}
          aria-describedby="phone-note"
          value={phone}
          onChange={(event) => setPhone(event.target.value)}
        />
      </label>
      <p id="phone-note" className={styles.note}>
        {user.wa_id
          ? 'This number is linked to WhatsApp. Change it there.'
          : 'With the country code. You can sign in with it, and people who know it can find you.'}
      </p>
      <div className={styles.buttons}>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" isBusy={isBusy}>
          {isBusy ? 'Saving...' : 'Save'}
        </Button>
      </div>
    </form>
  )
}

function Counter({ id, length, limit }: { id: string; length: number; limit: number }) {
  return (
    <p id={id} className={styles.count}>
      {length} of {limit}
    </p>
  )
}
