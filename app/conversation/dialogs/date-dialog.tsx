import { useState } from 'react'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import styles from './dialogs.module.css'

export interface DateDialogProps {
  /** The day shown first, epoch ms. */
  initialTime: number
  /** Called with the start of the chosen day, in this device's time zone, epoch ms. */
  onChoose(time: number): void
  onClose(): void
}

/** Lets the person choose a day. */
export function DateDialog({ initialTime, onChoose, onClose }: DateDialogProps) {
  const [day, setDay] = useState(() => toInputDay(initialTime))
  const time = fromInputDay(day)
  return (
    <Dialog title="Go to date" onClose={onClose}>
      <form
        className={styles.dateForm}
        onSubmit={(event) => {
          event.preventDefault()
          if (time === undefined) return
          onChoose(time)
          onClose()
        }}
      >
        <input
          className={styles.date}
          type="date"
          name="date"
          aria-label="Date"
          required
          max={toInputDay(Date.now())}
          value={day}
          onChange={(event) => setDay(event.target.value)}
        />
        <div className={styles.foot}>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={time === undefined}>
            Go
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function toInputDay(time: number): string {
  const date = new Date(time)
  const pad = (value: number, length: number) => String(value).padStart(length, '0')
  return `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1, 2)}-${pad(date.getDate(), 2)}`
}

/** Without a time zone, `Date` parses the text as this device's midnight. */
function fromInputDay(day: string): number | undefined {
  const time = Date.parse(`${day}T00:00`)
  return Number.isNaN(time) ? undefined : time
}
