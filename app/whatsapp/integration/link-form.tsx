import { type FormEvent, useState } from 'react'
import type { WhatsAppLink } from '../../../schema/api/whatsapp-link.ts'
import { wordsOf } from '../../../schema/helpers/words-of.ts'
import { Button } from '../../ui/buttons/button.tsx'
import styles from '../styles/whatsapp.module.css'
import { checkLink, type LinkForm as Form } from './check-link.ts'

interface LinkFormProps {
  onLink(link: WhatsAppLink): Promise<unknown>
  onClose(): void
}

const empty: Form = { waId: '', phone: '', phoneNumberId: '', displayName: '' }

/**
 * Asks for the business account. Once linked, the dialog shows the account in this form's place.
 */
export function LinkForm({ onLink, onClose }: LinkFormProps) {
  const [form, setForm] = useState(empty)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    const checked = checkLink(form)
    if ('problem' in checked) return setProblem(checked.problem)
    setProblem(undefined)
    setIsBusy(true)
    try {
      await onLink(checked.link)
    } catch (cause) {
      const words = wordsOf(cause)
      setProblem(`Failed to link WhatsApp account: ${words}`)
    } finally {
      setIsBusy(false)
    }
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
    <form className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
      <label className={styles.label}>
        WhatsApp ID
        <input {...field('waId')} inputMode="tel" placeholder="15550783881" required />
      </label>
      <label className={styles.label}>
        Phone Number
        <input
          {...field('phone')}
          type="tel"
          placeholder="+1234567890"
          aria-describedby="link-phone-hint"
          required
        />
      </label>
      <p id="link-phone-hint" className={styles.hint}>
        Include the country code (e.g., +1 for US, +91 for India)
      </p>
      <label className={styles.label}>
        Phone Number ID
        <input
          {...field('phoneNumberId')}
          inputMode="numeric"
          placeholder="106540352242922"
          aria-describedby="link-id-hint"
        />
      </label>
      <p id="link-id-hint" className={styles.hint}>
        Meta's id of your business number. Messages to that number come to you.
      </p>
      <label className={styles.label}>
        Display Name
        <input {...field('displayName')} maxLength={100} />
      </label>
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
          {isBusy ? 'Linking...' : 'Link Account'}
        </Button>
      </div>
    </form>
  )
}
