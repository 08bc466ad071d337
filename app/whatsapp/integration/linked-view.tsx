import { useState } from 'react'
import { wordsOf } from '../../../schema/helpers/words-of.ts'
import type { OwnUser } from '../../../schema/user.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { DialogFoot, DialogProblem } from '../../ui/forms/dialog-parts.tsx'
import { Icon } from '../../ui/icons/icon.tsx'
import type { Channel } from '../channel/channel.ts'
import styles from '../styles/whatsapp.module.css'

interface LinkedViewProps {
  user: OwnUser
  channel: Channel
  onUnlink(): Promise<unknown>
  onClose(): void
}

const features = [
  'Send messages',
  'Receive status updates',
  'Use templates',
  'Phone number search',
] as const

/** The linked account, and its uses. */
export function LinkedView({ user, channel, onUnlink, onClose }: LinkedViewProps) {
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)

  async function unlink() {
    setProblem(undefined)
    setIsBusy(true)
    try {
      await onUnlink()
    } catch (cause) {
      const words = wordsOf(cause)
      setProblem(`Failed to unlink WhatsApp account: ${words}`)
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <>
      <div className={styles.linked}>
        <strong>
          <Icon name="whatsapp" size={18} />
          Connected
        </strong>
        {user.whatsapp_name && <span dir="auto">{user.whatsapp_name}</span>}
        {channel.phone && <span>+{channel.phone}</span>}
      </div>
      <ul className={styles.features}>
        {features.map((feature) => (
          <li key={feature}>
            <Icon name="check" size={18} />
            {feature}
          </li>
        ))}
      </ul>
      {problem && <DialogProblem>{problem}</DialogProblem>}
      <DialogFoot>
        <Button look="danger" isBusy={isBusy} onClick={() => void unlink()}>
          {isBusy ? 'Unlinking...' : 'Unlink Account'}
        </Button>
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
      </DialogFoot>
    </>
  )
}
