import type { ReactNode } from 'react'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { DialogFoot, DialogProblem } from '../../ui/forms/dialog-parts.tsx'
import { ArchiveProgressBar } from './archive-progress-bar.tsx'
import type { ArchiveRun } from './use-archive-run.ts'

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
