import type { WhatsAppLink } from '../../../schema/api/whatsapp-link.ts'
import type { OwnUser } from '../../../schema/user.ts'
import { readChannel } from '../channel/channel.ts'
import { ChannelDialog } from '../channel/channel-dialog.tsx'
import { LinkForm } from './link-form.tsx'
import { LinkedView } from './linked-view.tsx'

export interface IntegrationDialogProps {
  /** The device's version of the record. */
  user: OwnUser
  /** Both reject with words for a person. */
  onLink(link: WhatsAppLink): Promise<unknown>
  onUnlink(keepsPhone: boolean): Promise<unknown>
  onClose(): void
}

/** Links a WhatsApp Business account, or shows the linked one. Source: decision 61, section 2. */
export function IntegrationDialog({ user, onLink, onUnlink, onClose }: IntegrationDialogProps) {
  const channel = readChannel(user)
  return (
    <ChannelDialog title="WhatsApp Integration" channel={channel} onClose={onClose}>
      {channel.isLinked ? (
        <LinkedView user={user} channel={channel} onUnlink={onUnlink} onClose={onClose} />
      ) : (
        <LinkForm phone={user.phone_number} onLink={onLink} onClose={onClose} />
      )}
    </ChannelDialog>
  )
}
