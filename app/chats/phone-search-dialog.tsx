import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { PublicUser } from '../../schema/user.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { checkPhoneSearch } from './check-phone-search.ts'
import styles from './phone-search-dialog.module.css'

export interface PhoneSearchDialogProps {
  /** The person of a whole number; undefined for nobody. Rejects with words for a person. */
  findByPhone(digits: string): Promise<PublicUser | undefined>
  onClose(): void
}

/** Asks for a phone number, and opens the chat with the person who has it. */
export function PhoneSearchDialog({ findByPhone, onClose }: PhoneSearchDialogProps) {
  const navigate = useNavigate()
  const [phone, setPhone] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)

  async function search() {
    const checked = checkPhoneSearch(phone)
    if ('problem' in checked) return setProblem(checked.problem)
    setProblem(undefined)
    setIsBusy(true)
    try {
      const person = await findByPhone(checked.digits)
      if (!person) return setProblem('No user found with that phone number')
      onClose()
      await navigate(`/chat/${person._id}`)
    } catch (cause) {
      setProblem(`Phone search failed: ${cause instanceof Error ? cause.message : String(cause)}`)
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <Dialog title="Search by Phone Number" onClose={onClose}>
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
