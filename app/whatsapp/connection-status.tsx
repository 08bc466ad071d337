import type { OwnUser } from '../../schema/user.ts'
import { Button } from '../ui/buttons/button.tsx'
import { readChannel } from './channel.ts'
import { ChannelNotice } from './channel-dialog.tsx'
import styles from './connection-status.module.css'
import { describeLink } from './describe-window.ts'

interface ConnectionStatusProps {
  user: OwnUser
  /** Opens 'WhatsApp Integration'. */
  onOpen(): void
}

/** The profile's part that shows whether WhatsApp is linked. */
export function ConnectionStatus({ user, onOpen }: ConnectionStatusProps) {
  const channel = readChannel(user)
  return (
    <section className={styles.status} aria-labelledby="whatsapp-status">
      <div className={styles.line}>
        <div className={styles.words}>
          <h2 id="whatsapp-status">WhatsApp</h2>
          <p>
            {describeLink(channel)}
            {channel.isLinked && channel.phone && ` · +${channel.phone}`}
          </p>
        </div>
        <Button look="quiet" aria-haspopup="dialog" onClick={onOpen}>
          {channel.isLinked ? 'Manage' : 'Link Account'}
        </Button>
      </div>
      {(channel.isLinked || channel.isSandbox) && <ChannelNotice channel={channel} />}
    </section>
  )
}
