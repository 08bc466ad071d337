import { useId, useState } from 'react'
import type { WhatsAppLink } from '../../schema/api/whatsapp-link.ts'
import { wordsOf } from '../../schema/helpers/text.ts'
import { linkNeeds, type OwnUser } from '../../schema/user.ts'
import { Button } from '../ui/buttons/button.tsx'
import {
  DialogField,
  DialogFoot,
  DialogForm,
  DialogHint,
  DialogProblem,
} from '../ui/forms/dialog-form.tsx'
import { useSubmission } from '../ui/forms/use-submission.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { type Channel, readChannel } from './channel.ts'
import { ChannelDialog } from './channel-dialog.tsx'
import { describeLink } from './describe-window.ts'
import styles from './styles/whatsapp.module.css'

const formatting = /[\s().-]/g

const withCountryCode = /^\+\d{1,3}\d{10,14}$/

const features = [
  'Send messages',
  'Receive status updates',
  'Use templates',
  'Phone number search',
] as const

const empty: LinkFields = { waId: '', phone: '', phoneNumberId: '', displayName: '' }

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
        <LinkForm
          phone={user.phone_number}
          isOff={channel.isOff}
          onLink={onLink}
          onClose={onClose}
        />
      )}
    </ChannelDialog>
  )
}

interface LinkFormProps {
  /** The person's phone number before, in digits: the linked one takes its place. */
  phone: string | undefined
  /** The server has no channel. */
  isOff: boolean
  onLink(link: WhatsAppLink): Promise<unknown>
  onClose(): void
}

/**
 * Asks for the business account. Once linked, the dialog shows the account in this form's place.
 */
function LinkForm({ phone, isOff, onLink, onClose }: LinkFormProps) {
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

  const field = (name: keyof LinkFields) => ({
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
        {isOff
          ? "Leave this empty: without the channel, this server can't check or use Meta's id."
          : "Meta's id of your business number. Messages to that number come to you."}
      </DialogHint>
      <DialogField label="Display Name">
        <input {...field('displayName')} maxLength={100} />
      </DialogField>
    </DialogForm>
  )
}

interface LinkedViewProps {
  user: OwnUser
  channel: Channel
  /** @param keepsPhone does the number stay in the record, to sign in with and be found by? */
  onUnlink(keepsPhone: boolean): Promise<unknown>
  onClose(): void
}

/** The linked account, and its uses: now, or once the server has a channel. */
function LinkedView({ user, channel, onUnlink, onClose }: LinkedViewProps) {
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

/** The form's fields, as typed. */
interface LinkFields {
  waId: string
  phone: string
  phoneNumberId: string
  displayName: string
}

/** The form as the server takes it, or the problem. Source: decision 61, section 5. */
export function checkLink(form: LinkFields): { link: WhatsAppLink } | { problem: string } {
  const waId = form.waId.replace(formatting, '').replace(/^\+/, '')
  const phone = form.phone.replace(formatting, '')
  if (waId === '') return { problem: linkNeeds }
  if (phone === '') return { problem: 'Phone number is required' }
  if (!withCountryCode.test(phone)) {
    return {
      problem: 'Please enter a valid phone number with country code (e.g., +1234567890)',
    }
  }
  const phoneNumberId = form.phoneNumberId.trim()
  const displayName = form.displayName.trim()
  return {
    link: {
      wa_id: waId,
      phone_number: phone.slice(1),
      ...(phoneNumberId && { phone_number_id: phoneNumberId }),
      ...(displayName && { whatsapp_name: displayName }),
    },
  }
}
