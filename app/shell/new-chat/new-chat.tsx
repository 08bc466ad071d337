import { useState } from 'react'
import { NewChatDialog } from '../../chats/new-chat/new-chat-dialog.tsx'
import { InviteDialog } from '../../ui/codes/invite-dialog.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import { inviteAddress } from './invite-address.ts'
import { PhoneSearch } from './phone-search.tsx'

/** 'New chat', and the dialogs that it leads to, one at a time. */
export function NewChat({ onClose }: { onClose(): void }) {
  const messenger = useMessenger()
  const [shown, setShown] = useState<'people' | 'phone' | 'invite'>('people')
  switch (shown) {
    case 'people':
      return (
        <NewChatDialog
          messenger={messenger}
          onPhoneSearch={() => setShown('phone')}
          onInvite={() => setShown('invite')}
          onClose={onClose}
        />
      )
    case 'phone':
      return <PhoneSearch onClose={onClose} />
    case 'invite':
      return <InviteDialog address={inviteAddress(messenger.userId)} onClose={onClose} />
  }
}
