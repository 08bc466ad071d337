import { Icon } from '../../ui/icons/icon.tsx'
import styles from '../styles/whatsapp.module.css'
import type { Channel } from './channel.ts'

/** Says, in a sandbox, that nothing here reaches a real phone. */
export function SandboxNotice({ channel }: { channel: Pick<Channel, 'isSandbox'> }) {
  if (!channel.isSandbox) return null
  return (
    <p className={styles.sandbox}>
      <Icon name="info" size={18} />
      <span>
        <strong>Sandbox.</strong> This server isn't connected to WhatsApp: messages go to an
        emulator and reach no real phone.
      </span>
    </p>
  )
}
