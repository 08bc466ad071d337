import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { NewGroupDialog } from '../../chats/groups/new-group-dialog.tsx'
import { NewChatDialog } from '../../chats/new-chat-dialog.tsx'
import { PhoneSearchDialog } from '../../chats/phone-search-dialog.tsx'
import { leaveBackLayers } from '../../ui/layers/leave-back-layers.ts'
import { readChannel } from '../../whatsapp/channel.ts'
import { ChannelNotice } from '../../whatsapp/channel-dialog.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import { useServices, useSession } from '../session/services-context.ts'
import { InviteDialog } from './invite.tsx'

/** 'New chat', and the dialogs that it leads to, one at a time. */
export function NewChat({
  start,
  onClose,
}: {
  start: 'people' | 'invite' | 'group'
  onClose(): void
}) {
  const messenger = useMessenger()
  const [shown, setShown] = useState<'people' | 'phone' | 'invite' | 'group'>(start)
  const navigate = useNavigate()
  switch (shown) {
    case 'people':
      return (
        <NewChatDialog
          messenger={messenger}
          onNewGroup={messenger.groups.isOn() ? () => setShown('group') : undefined}
          onPhoneSearch={() => setShown('phone')}
          onInvite={() => setShown('invite')}
          onClose={onClose}
        />
      )
    case 'group':
      return (
        <NewGroupDialog
          messenger={messenger}
          onCreated={(groupId) =>
            leaveBackLayers(() => {
              onClose()
              void navigate(`/chat/${groupId}`)
            })
          }
          onClose={onClose}
        />
      )
    case 'phone':
      return <PhoneSearch onClose={onClose} />
    case 'invite':
      return <InviteDialog onClose={onClose} />
  }
}

/**
 * 'Search by Phone Number'. With WhatsApp linked, people can write to numbers without an account.
 */
function PhoneSearch({ onClose }: { onClose(): void }) {
  const { findByPhone, whatsApp } = useServices()
  const channel = readChannel(useSession()?.user)
  return (
    <PhoneSearchDialog
      findByPhone={findByPhone}
      startChat={
        channel.isLinked && !channel.isOff
          ? (digits) => whatsApp.addContact({ phone_number: digits })
          : undefined
      }
      notice={channel.isLinked && <ChannelNotice channel={channel} />}
      onClose={onClose}
    />
  )
}
