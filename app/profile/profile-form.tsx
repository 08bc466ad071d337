import { type FormEvent, useState } from 'react'
import { limits } from '../../schema/limits.ts'
import { type OwnUser, type ProfileChange, profileName } from '../../schema/user.ts'
import { Button } from '../ui/buttons/button.tsx'
import styles from './profile-page.module.css'

interface ProfileFormProps {
  user: OwnUser
  onSave(change: ProfileChange): Promise<void>
  onClose(): void
}

/** Edits name and About; Cancel restores the stored values. */
export function ProfileForm({ user, onSave, onClose }: ProfileFormProps) {
  const [name, setName] = useState(user.username)
  const [about, setAbout] = useState(user.status)
  const [error, setError] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)

  async function save(event: FormEvent) {
    event.preventDefault()
    // A name older than the current rules stays valid until the person changes it.
    const isRenamed = name !== user.username
    const checked = profileName.safeParse(name)
    if (isRenamed && !checked.success) return setError(checked.error.issues[0]?.message)
    setIsBusy(true)
    setError(undefined)
    try {
      await onSave({ ...(isRenamed ? { username: name } : {}), status: about.trim() })
      onClose()
    } catch (cause) {
      const words = cause instanceof Error ? cause.message : ''
      setError(words || 'Failed to update profile')
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
          name="name"
          autoComplete="name"
          maxLength={limits.nameMaxLength}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
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
      <p id="email-note" className={styles.note}>
        Email cannot be changed
      </p>
      <label>
        About
        <textarea
          name="about"
          rows={3}
          maxLength={limits.aboutMaxLength}
          placeholder="Add a few words about yourself"
          value={about}
          onChange={(event) => setAbout(event.target.value)}
        />
      </label>
      <p className={styles.note}>
        {about.length} of {limits.aboutMaxLength}
      </p>
      <div className={styles.buttons}>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={isBusy}>
          {isBusy ? 'Saving...' : 'Save'}
        </Button>
      </div>
    </form>
  )
}
