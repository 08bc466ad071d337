import { useId, useState } from 'react'
import { wordsOf } from '../../../schema/helpers/words-of.ts'
import type { OwnUser } from '../../../schema/user.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { DialogHint } from '../../ui/forms/dialog-form.tsx'
import { DialogFoot, DialogProblem } from '../../ui/forms/dialog-parts.tsx'
import { Icon } from '../../ui/icons/icon.tsx'
import type { Channel } from '../channel/channel.ts'
import { describeLink } from '../channel/describe-link.ts'
import styles from '../styles/whatsapp.module.css'

interface LinkedViewProps {
  user: OwnUser
  channel: Channel
  /** @param keepsPhone does the number stay in the record, to sign in with and be found by? */
  onUnlink(keepsPhone: boolean): Promise<unknown>
  onClose(): void
}

const features = [
  'Send messages',
  'Receive status updates',
  'Use templates',
  'Phone number search',
] as const

/** The linked account, and its uses: now, or once the server has a channel. */
export function LinkedView({ user, channel, onUnlink, onClose }: LinkedViewProps) {
  const hintId = useId()
  const [keepsPhone, setKeepsPhone] = useState(true)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)

  async function unlink() {
    setProblem(undefined)
    setIsBusy(true)
    try {
      await onUnlink(keepsPhone)
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
          {describeLink(channel)}
        </strong>
        {user.whatsapp_name && <span dir="auto">{user.whatsapp_name}</span>}
        {channel.phone && <span>+{channel.phone}</span>}
      </div>
      {channel.isOff && <p className={styles.later}>Once this server has WhatsApp, you can:</p>}
      <ul className={styles.features}>
        {features.map((feature) => (
          <li key={feature}>
            <Icon name={channel.isOff ? 'clock' : 'check'} size={18} />
            {feature}
          </li>
        ))}
      </ul>
      {user.phone_number && (
        <div className={styles.keep}>
          <label>
            <input
              type="checkbox"
              checked={keepsPhone}
              aria-describedby={hintId}
              onChange={(event) => setKeepsPhone(event.target.checked)}
            />
            Keep +{user.phone_number} when unlinking
          </label>
          <DialogHint id={hintId}>
            It's your phone number too: you can sign in with it, and people who know it can find
            you. Otherwise it's removed from your account.
          </DialogHint>
        </div>
      )}
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
