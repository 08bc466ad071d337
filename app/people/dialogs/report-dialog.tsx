import { type FormEvent, useId, useState } from 'react'
import { limits } from '../../../schema/limits.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { checkReason } from './check-reason.ts'
import styles from './report-dialog.module.css'

interface ReportDialogProps {
  name: string
  /** Are they blocked already? Then there is nothing to offer. */
  isBlocked: boolean
  /** Rejects with words for a person. */
  onReport(report: { reason: string; alsoBlocks: boolean }): Promise<void>
  onClose(): void
}

/** Asks for the reason of a report. */
export function ReportDialog({ name, isBlocked, onReport, onClose }: ReportDialogProps) {
  const [reason, setReason] = useState('')
  const [alsoBlocks, setAlsoBlocks] = useState(!isBlocked)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const id = useId()

  async function submit(event: FormEvent) {
    event.preventDefault()
    const found = checkReason(reason)
    setProblem(found)
    if (found) return
    setIsBusy(true)
    try {
      await onReport({ reason: reason.trim(), alsoBlocks: alsoBlocks && !isBlocked })
      onClose()
    } catch {
      setProblem('Failed to report user')
      setIsBusy(false)
    }
  }

  return (
    <Dialog
      title={`Report ${name}`}
      text={`Your report goes to the people who run this server. It doesn't include any messages. ${name} won't get a notice.`}
      onClose={onClose}
    >
      <form className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
        <label className={styles.label} htmlFor={id}>
          Reason
        </label>
        <textarea
          id={id}
          className={styles.field}
          rows={3}
          maxLength={limits.reportReasonMaxLength}
          value={reason}
          aria-invalid={problem !== undefined}
          aria-describedby={problem ? `${id}-problem` : undefined}
          onChange={(event) => {
            setReason(event.target.value)
            setProblem(undefined)
          }}
        />
        {problem && (
          <p className={styles.problem} id={`${id}-problem`} role="alert">
            {problem}
          </p>
        )}
        {!isBlocked && (
          <label className={styles.check}>
            <input
              type="checkbox"
              checked={alsoBlocks}
              onChange={(event) => setAlsoBlocks(event.target.checked)}
            />
            Also block {name}
          </label>
        )}
        <div className={styles.foot}>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="danger" type="submit" isBusy={isBusy}>
            Report
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
