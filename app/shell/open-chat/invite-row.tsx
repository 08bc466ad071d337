import { lazy, Suspense, useState } from 'react'
import { Button } from '../../ui/buttons/button.tsx'
import styles from './invite-row.module.css'

const InviteDialog = lazy(() =>
  import('./invite.tsx').then((module) => ({ default: module.InviteDialog })),
)

/** This person's invite link, in their profile. */
export function InviteRow() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div className={styles.row}>
      <p className={styles.words}>
        <small>Invite link</small>
        <span>Let others start a chat with you</span>
      </p>
      <Button look="quiet" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        Invite to chat
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <InviteDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}
