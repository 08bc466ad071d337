import { PhoneSearchDialog } from '../../chats/phone-search-dialog.tsx'
import { readChannel } from '../../whatsapp/channel/channel.ts'
import { ChannelNotice } from '../../whatsapp/channel/channel-notice.tsx'
import { useServices } from '../session/services-context.ts'
import { useSession } from '../session/use-session.ts'

/**
 * 'Search by Phone Number'. With WhatsApp linked, people can write to numbers without an account.
 */
export function PhoneSearch({ onClose }: { onClose(): void }) {
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
