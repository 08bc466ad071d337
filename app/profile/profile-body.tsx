import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { wordsOf } from '../../schema/helpers/text.ts'
import { limits } from '../../schema/limits.ts'
import { type OwnUser, type ProfileChange, phoneNumber, profileName } from '../../schema/user.ts'
import { Button } from '../ui/buttons/button.tsx'
import type { PicturePlace } from '../ui/pictures/check-picture.ts'
import { PictureField } from '../ui/pictures/picture-field.tsx'
import type { OwnProfile } from './own-profile.ts'
import { EmailNote, ProfileFacts } from './profile-facts.tsx'
import styles from './profile-page.module.css'

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
      <PictureField
        label="Profile picture"
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
