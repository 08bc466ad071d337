import { useState } from 'react'
import { wordsOf } from '../../schema/helpers/words-of.ts'
import { Button } from '../ui/buttons/button.tsx'
import { LazyConfirmDialog } from '../ui/dialogs/lazy-confirm-dialog.tsx'
import styles from './profile-page.module.css'

interface DangerZoneProps {
  isLoggingOut: boolean
  onLogout(): void
  /** Rejects with words for a person. */
  onDeleteAccount(): Promise<void>
}

/** The actions that cannot be undone. */
export function DangerZone({ isLoggingOut, onLogout, onDeleteAccount }: DangerZoneProps) {
  const [isAsking, setIsAsking] = useState(false)
  const [error, setError] = useState<string>()
  const remove = () => {
    setError(undefined)
    onDeleteAccount().catch((cause: unknown) =>
      setError(wordsOf(cause, 'Failed to delete account')),
    )
  }
  return (
    <section className={styles.danger} aria-labelledby="danger-zone">
      <h2 id="danger-zone">Danger Zone</h2>
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      <div className={styles.buttons}>
        <Button look="quiet" isBusy={isLoggingOut} onClick={onLogout}>
          {isLoggingOut ? 'Loading...' : 'Logout'}
        </Button>
        <Button look="danger" onClick={() => setIsAsking(true)}>
          Delete Account
        </Button>
      </div>
      {isAsking && (
        <LazyConfirmDialog
          title="Are you sure you want to delete your account? This action cannot be undone."
          text="Your chats, your sign-ins and your name will be deleted. Others keep the messages you sent them, from “Deleted user”."
          confirmLabel="Delete Account"
          isDanger
          onConfirm={remove}
          onClose={() => setIsAsking(false)}
        />
      )}
    </section>
  )
}
