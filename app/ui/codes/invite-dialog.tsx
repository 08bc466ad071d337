import { Dialog } from '../dialogs/dialog.tsx'
import { InviteCard } from './invite-card.tsx'

interface InviteDialogProps {
  address: string
  onClose(): void
}

export function InviteDialog({ address, onClose }: InviteDialogProps) {
  return (
    <Dialog title="Invite to chat" onClose={onClose}>
      <InviteCard address={address} onClose={onClose} />
    </Dialog>
  )
}
