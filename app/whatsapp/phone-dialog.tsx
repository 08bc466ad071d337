import { useState } from 'react'
import { DialogField, DialogForm, DialogHint } from '../ui/forms/dialog-form.tsx'
import { useSubmission } from '../ui/forms/use-submission.ts'
import type { Channel } from './channel/channel.ts'
import { ChannelDialog } from './channel/channel-dialog.tsx'
import { checkPhone } from './check-phone.ts'

interface PhoneDialogProps {
  channel: Channel
  /** Called with the digits. Rejects with words for a person. */
  onStart(digits: string): Promise<void>
  onClose(): void
}

/** Asks for a phone number to write to on WhatsApp. Source: decision 61, section 2. */
export function PhoneDialog({ channel, onStart, onClose }: PhoneDialogProps) {
  const [phone, setPhone] = useState('')
  const { problem, setProblem, isBusy, run } = useSubmission()

  function submit() {
    const checked = checkPhone(phone)
    if ('problem' in checked) return setProblem(checked.problem)
    void run(() => onStart(checked.digits))
  }

  return (
    <ChannelDialog title="Enter WhatsApp Phone Number" channel={channel} onClose={onClose}>
      <DialogForm
        action={isBusy ? 'Starting...' : 'Start Chat'}
        problem={problem}
        isBusy={isBusy}
        onSubmit={submit}
        onLeave={onClose}
      >
        <DialogField label="Phone Number (with country code)">
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
        </DialogField>
        <DialogHint id="whatsapp-phone-hint">
          Include country code (e.g., +1 for US, +91 for India)
        </DialogHint>
      </DialogForm>
    </ChannelDialog>
  )
}
