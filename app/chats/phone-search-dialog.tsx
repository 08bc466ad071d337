import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { wordsOf } from '../../schema/helpers/words-of.ts'
import type { PublicUser } from '../../schema/user.ts'
import { Button } from '../ui/buttons/button.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { checkPhoneSearch } from './check-phone-search.ts'
import styles from './phone-search-dialog.module.css'

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
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const [missing, setMissing] = useState<string>()

  async function search() {
    const checked = checkPhoneSearch(phone)
    if ('problem' in checked) return setProblem(checked.problem)
    await open(checked.digits, findByPhone)
  }

  async function open(
    digits: string,
    find: (digits: string) => Promise<PublicUser | undefined>,
  ): Promise<void> {
    setProblem(undefined)
    setMissing(undefined)
    setIsBusy(true)
    try {
      const person = await find(digits)
      if (!person) {
        setMissing(digits)
        return setProblem('No user found with that phone number')
      }
      onClose()
      await navigate(`/chat/${person._id}`)
    } catch (cause) {
      setProblem(`Phone search failed: ${wordsOf(cause)}`)
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <Dialog title="Search by Phone Number" onClose={onClose}>
      {notice}
      <form
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void search()
        }}
      >
        <label className={styles.label}>
          Phone Number
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
        </label>
        <p id="phone-search-hint" className={styles.hint}>
          Include the country code (e.g., +1 for US, +91 for India)
        </p>
        {problem && (
          <p className={styles.problem} role="alert">
            {problem}
          </p>
        )}
        {missing && startChat && (
          <Button look="quiet" disabled={isBusy} onClick={() => void open(missing, startChat)}>
            Start a WhatsApp chat
          </Button>
        )}
        <div className={styles.foot}>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={isBusy}>
            {isBusy ? 'Searching...' : 'Search'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
