import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { PublicUser } from '../../schema/user.ts'
import { Button } from '../ui/buttons/button.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { DialogField, DialogForm, DialogHint } from '../ui/forms/dialog-form.tsx'
import { useSubmission } from '../ui/forms/use-submission.ts'

const formatting = /[\s().-]/g

const withCountryCode = /^\+\d{1,3}\d{10,14}$/

export interface PhoneSearchDialogProps {
  /**
   * Finds the person with a whole number; undefined if there is none. Rejects with words for a
   * person.
   */
  findByPhone(digits: string): Promise<PublicUser | undefined>
  /**
   * Starts a WhatsApp chat with this number; set if WhatsApp is linked. Rejects with words for a
   * person.
   */
  startChat?: ((digits: string) => Promise<PublicUser>) | undefined
  /** Shown above the form. */
  notice?: ReactNode
  onClose(): void
}

/** Asks for a phone number, and opens the chat with its owner. */
export function PhoneSearchDialog(props: PhoneSearchDialogProps) {
  const { findByPhone, startChat, notice, onClose } = props
  const navigate = useNavigate()
  const [phone, setPhone] = useState('')
  const { problem, setProblem, isBusy, run } = useSubmission()
  const [missing, setMissing] = useState<string>()

  function search() {
    const checked = checkPhoneSearch(phone)
    if ('problem' in checked) return setProblem(checked.problem)
    open(checked.digits, findByPhone)
  }

  function open(digits: string, find: (digits: string) => Promise<PublicUser | undefined>) {
    setMissing(undefined)
    void run(
      async () => {
        const person = await find(digits)
        if (!person) {
          setMissing(digits)
          return setProblem('No user found with that phone number')
        }
        onClose()
        await navigate(`/chat/${person._id}`)
      },
      (words) => `Phone search failed: ${words}`,
    )
  }

  return (
    <Dialog title="Search by Phone Number" onClose={onClose}>
      {notice}
      <DialogForm
        action={isBusy ? 'Searching...' : 'Search'}
        problem={problem}
        remedy={
          missing &&
          startChat && (
            <Button look="quiet" isBusy={isBusy} onClick={() => open(missing, startChat)}>
              Start a WhatsApp chat
            </Button>
          )
        }
        isBusy={isBusy}
        onSubmit={search}
        onLeave={onClose}
      >
        <DialogField label="Phone Number">
          <input
            type="tel"
            name="phone"
            autoComplete="off"
            placeholder="+1234567890"
            aria-describedby="phone-search-hint"
            value={phone}
            onChange={(event) => {
              setPhone(event.target.value)
              setProblem(undefined)
              setMissing(undefined)
            }}
          />
        </DialogField>
        <DialogHint id="phone-search-hint">
          Include the country code (e.g., +1 for US, +91 for India)
        </DialogHint>
      </DialogForm>
    </Dialog>
  )
}

type PhoneSearchCheck = { digits: string } | { problem: string }

/** The digits of the number, with its country code. Source: decision 61, section 5. */
export function checkPhoneSearch(text: string): PhoneSearchCheck {
  const phone = text.replace(formatting, '')
  if (phone === '') return { problem: 'Please enter a phone number' }
  if (withCountryCode.test(phone)) return { digits: phone.slice(1) }
  return {
    problem: 'Please enter a valid phone number with country code (e.g., +1234567890)',
  }
}
