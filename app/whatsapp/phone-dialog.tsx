import { type FormEvent, useState } from 'react'
import { wordsOf } from '../../schema/helpers/words-of.ts'
import { Button } from '../ui/buttons/button.tsx'
import type { Channel } from './channel/channel.ts'
import { ChannelDialog } from './channel/channel-dialog.tsx'
import { checkPhone } from './check-phone.ts'
import styles from './styles/whatsapp.module.css'

interface PhoneDialogProps {
  channel: Channel
  /** Called with the digits. Rejects with words for a person. */
  onStart(digits: string): Promise<void>
  onClose(): void
}

/** Asks for a phone number to write to on WhatsApp. Source: section 2 of the specification. */
export function PhoneDialog({ channel, onStart, onClose }: PhoneDialogProps) {
  const [phone, setPhone] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    const checked = checkPhone(phone)
    if ('problem' in checked) return setProblem(checked.problem)
    setProblem(undefined)
    setIsBusy(true)
    try {
      await onStart(checked.digits)
    } catch (cause) {
      setProblem(wordsOf(cause))
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <ChannelDialog title="Enter WhatsApp Phone Number" channel={channel} onClose={onClose}>
      <form className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
        <label className={styles.label}>
          Phone Number (with country code)
          <input
            type="tel"
            name="phone"
            autoComplete="off"
            placeholder="+1234567890"
            aria-describedby="whatsapp-phone-hint"
            value={phone}
            onChange={(event) => {
              setPhone(event.target.value)
              setProblem(undefined)
            }}
          />
        </label>
        <p id="whatsapp-phone-hint" className={styles.hint}>
          Include country code (e.g., +1 for US, +91 for India)
        </p>
        {problem && (
          <p className={styles.problem} role="alert">
            {problem}
          </p>
        )}
        <div className={styles.foot}>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={isBusy}>
            {isBusy ? 'Starting...' : 'Start Chat'}
          </Button>
        </div>
      </form>
    </ChannelDialog>
  )
}
