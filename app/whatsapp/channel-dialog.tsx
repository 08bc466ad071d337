import type { ReactNode } from 'react'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { Icon } from '../ui/icons/icon.tsx'
import type { Channel } from './channel.ts'
import styles from './styles/whatsapp.module.css'

interface ChannelDialogProps {
  title: string
  channel: Pick<Channel, 'isLinked' | 'isSandbox' | 'isOff'>
  onClose(): void
  children: ReactNode
}

/** A dialog of the business channel, with a notice if the channel reaches no real phone. */
export function ChannelDialog({ title, channel, onClose, children }: ChannelDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <ChannelNotice channel={channel} />
      {children}
    </Dialog>
  )
}

/** Says where a message goes if it reaches no real phone: to an emulator, or nowhere. */
export function ChannelNotice({
  channel,
}: {
  channel: Pick<Channel, 'isLinked' | 'isSandbox' | 'isOff'>
}) {
  const { isLinked, isSandbox, isOff } = channel
  if (!isSandbox && !isOff) return null
  return (
    <p className={styles.notice}>
      <Icon name="info" size={18} />
      <span>
        {isOff ? (
          <>
            <strong>No WhatsApp here.</strong> This server isn't connected to WhatsApp.{' '}
            {isLinked
              ? 'Your number is saved, but nothing goes over WhatsApp.'
              : 'You can save your number, but nothing will go over WhatsApp.'}
          </>
        ) : (
          <>
            <strong>Sandbox.</strong> This server isn't connected to WhatsApp: messages go to an
            emulator and reach no real phone.
          </>
        )}
      </span>
    </p>
  )
}
