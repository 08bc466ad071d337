import type { ReactNode } from 'react'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import type { Channel } from './channel.ts'
import { ChannelNotice } from './channel-notice.tsx'

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
