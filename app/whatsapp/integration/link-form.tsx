import { useState } from 'react'
import type { WhatsAppLink } from '../../../schema/api/whatsapp-link.ts'
import { DialogField, DialogForm, DialogHint } from '../../ui/forms/dialog-form.tsx'
import { useSubmission } from '../../ui/forms/use-submission.ts'
import { checkLink, type LinkForm as Form } from './check-link.ts'

interface LinkFormProps {
  /** The person's phone number before, in digits: the linked one takes its place. */
  phone: string | undefined
  onLink(link: WhatsAppLink): Promise<unknown>
  onClose(): void
}

const empty: Form = { waId: '', phone: '', phoneNumberId: '', displayName: '' }

/**
 * Asks for the business account. Once linked, the dialog shows the account in this form's place.
 */
export function LinkForm({ phone, onLink, onClose }: LinkFormProps) {
  const [form, setForm] = useState(empty)
  const { problem, setProblem, isBusy, run } = useSubmission()

  function submit() {
    const checked = checkLink(form)
    if ('problem' in checked) return setProblem(checked.problem)
    void run(
      () => onLink(checked.link),
      (words) => `Failed to link WhatsApp account: ${words}`,
    )
  }

  const field = (name: keyof Form) => ({
    name,
    autoComplete: 'off',
    value: form[name],
    onChange: (event: { target: { value: string } }) => {
      setForm({ ...form, [name]: event.target.value })
      setProblem(undefined)
    },
  })
  return (
    <DialogForm
      action={isBusy ? 'Linking...' : 'Link Account'}
      problem={problem}
      isBusy={isBusy}
      onSubmit={submit}
      onLeave={onClose}
    >
      <DialogField label="WhatsApp ID">
        <input {...field('waId')} inputMode="tel" placeholder="15550783881" required />
      </DialogField>
      <DialogField label="Phone Number">
        <input
          {...field('phone')}
          type="tel"
          placeholder="+1234567890"
          aria-describedby="link-phone-hint"
          required
        />
      </DialogField>
      <DialogHint id="link-phone-hint">
        Include the country code (e.g., +1 for US, +91 for India). It becomes your phone number
        {phone && ` in place of +${phone}`}: you can sign in with it, and people who know it can
        find you.
      </DialogHint>
      <DialogField label="Phone Number ID">
        <input
          {...field('phoneNumberId')}
          inputMode="numeric"
          placeholder="106540352242922"
          aria-describedby="link-id-hint"
        />
      </DialogField>
      <DialogHint id="link-id-hint">
        Meta's id of your business number. Messages to that number come to you.
      </DialogHint>
      <DialogField label="Display Name">
        <input {...field('displayName')} maxLength={100} />
      </DialogField>
    </DialogForm>
  )
}
