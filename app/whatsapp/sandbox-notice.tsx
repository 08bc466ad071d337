import { Icon } from '../ui/icon.tsx'
import type { Channel } from './channel.ts'
import styles from './whatsapp.module.css'

/** Says that nothing here reaches a real phone, wherever that is so. */
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
