import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { LazyConfirmDialog } from '../ui/lazy-confirm-dialog.tsx'
import { useMessenger } from './messenger-context.tsx'
import { useServices } from './services.ts'

/** Asks before signing out: it takes this person's data off the device, unsent messages too. */
export function SignOutDialog({ onClose }: { onClose(): void }) {
  const messenger = useMessenger()
  const { signOut } = useServices()
  const navigate = useNavigate()
  const [unsentCount, setUnsentCount] = useState(
    () => messenger.connection.getSnapshot().pendingCount,
  )
  useEffect(() => {
    messenger.countUnsent().then(setUnsentCount, () => {})
  }, [messenger])
  async function leave() {
    await signOut(messenger)
    // Whoever signs in next begins at the beginning, not where this person stood.
    await navigate('/login', { replace: true })
  }
  return (
    <LazyConfirmDialog
      title="Log out?"
      text={describeLoss(unsentCount)}
      confirmLabel={unsentCount > 0 ? 'Log out and lose them' : 'Log out'}
      isDanger={unsentCount > 0}
      onConfirm={() => void leave()}
      onClose={onClose}
    />
  )
}

function describeLoss(unsentCount: number): string {
  if (unsentCount === 0) {
    return 'Your chats will be removed from this device and return when you sign in.'
  }
  const waiting = unsentCount === 1 ? "1 change hasn't" : `${unsentCount} changes haven't`
  return `${waiting} been sent yet and would be lost. Wait until they are sent, or log out now.`
}
