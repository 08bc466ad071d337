import type { ReactNode } from 'react'
import type { ArchiveProgress } from '../../sync/archive/archive-format.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { DialogFoot, DialogProblem } from '../../ui/forms/dialog-form.tsx'
import styles from './account.module.css'
import { type ArchiveRun, describeProgress } from './use-archive-run.ts'

interface ArchiveDialogProps {
  run: ArchiveRun<unknown>
  title: string
  text: string
  /** What the button says before, and while it runs. */
  action: { label: string; busyLabel: string; onClick(): void }
  /** What is shown before it runs. */
  children: ReactNode
  onCancel(): void
  onClose(): void
}

/** Before and during an export or import. */
export function ArchiveDialog(props: ArchiveDialogProps) {
  const { run, title, text, action, children, onCancel, onClose } = props
  const isRunning = run.state === 'running'
  return (
    <Dialog title={title} text={text} onClose={onClose}>
      {run.state === 'idle' && run.error && <DialogProblem>{run.error}</DialogProblem>}
      {run.state === 'running' ? <ArchiveProgressBar progress={run.progress} /> : children}
      <DialogFoot>
        <Button look="quiet" onClick={isRunning ? onCancel : onClose}>
          Cancel
        </Button>
        <Button isBusy={isRunning} onClick={action.onClick}>
          {isRunning ? action.busyLabel : action.label}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

/** A bar with numbers; without numbers while there are none yet. */
function ArchiveProgressBar({ progress }: { progress: ArchiveProgress | undefined }) {
  const words = describeProgress(progress)
  const { done = 0, total = 0 } = progress ?? {}
  return (
    <div className={styles.progress}>
      <progress aria-label={words} {...(total > 0 && { value: done, max: total })} />
      <span>{words}</span>
    </div>
  )
}
