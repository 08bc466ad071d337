import { lazy, Suspense, useState } from 'react'
import { Button } from '../../ui/buttons/button.tsx'
import { Icon } from '../../ui/icons/icon.tsx'
import { inviteAddress } from './invite-address.ts'

const InviteDialog = lazy(() =>
  import('../../ui/codes/invite-dialog.tsx').then((module) => ({ default: module.InviteDialog })),
)

export function InviteButton({ userId }: { userId: string }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button look="quiet" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        <Icon name="share" size={20} />
        Invite to chat
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <InviteDialog address={inviteAddress(userId)} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
