import type { ReactNode } from 'react'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import type { Channel } from './channel.ts'
import { SandboxNotice } from './sandbox-notice.tsx'

interface ChannelDialogProps {
  title: string
  channel: Pick<Channel, 'isSandbox'>
  onClose(): void
  children: ReactNode
}

/** A dialog of the business channel, with a notice if the channel is a sandbox. */
export function ChannelDialog({ title, channel, onClose, children }: ChannelDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <SandboxNotice channel={channel} />
      {children}
    </Dialog>
  )
}
