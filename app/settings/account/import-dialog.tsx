import { useRef } from 'react'
import type { Archive, RestoredArchive } from '../../sync/archive/archive-format.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import styles from './account.module.css'
import { ArchiveProgressBar } from './archive-progress-bar.tsx'
import { describeRestored } from './describe-progress.ts'
import { useArchiveRun } from './use-archive-run.ts'

interface ImportDialogProps {
  archive: Archive
  onClose(): void
}

/** Merges a saved zip into this device. */
export function ImportDialog({ archive, onClose }: ImportDialogProps) {
  const input = useRef<HTMLInputElement>(null)
  const { run, start, cancel } = useArchiveRun<RestoredArchive>('Failed to import this file')
  if (run.state === 'done') {
    return (
      <Dialog title="Import finished" text={describeRestored(run.result)} onClose={onClose}>
        <div className={styles.buttons}>
          <Button onClick={onClose}>Done</Button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog
      title="Import your data"
      text="Adds the chats and files of a Petrel export of this account to this device. Nothing here is replaced by something older."
      onClose={onClose}
    >
      {run.state === 'idle' && run.error && (
        <p className={styles.error} role="alert">
          {run.error}
        </p>
      )}
      {run.state === 'running' ? (
        <ArchiveProgressBar progress={run.progress} />
      ) : (
        <p className={styles.words}>
          Your profile and settings come from your account. This works offline too.
        </p>
      )}
      <input
        ref={input}
        type="file"
        hidden
        accept=".zip,application/zip"
        aria-label="Petrel export"
        onChange={(event) => {
          const zip = event.target.files?.[0]
          // The same file may be chosen again.
          event.target.value = ''
          if (zip) start((pace) => archive.restore(zip, pace))
        }}
      />
      <div className={styles.buttons}>
        <Button look="quiet" onClick={run.state === 'running' ? cancel : onClose}>
          Cancel
        </Button>
        <Button disabled={run.state === 'running'} onClick={() => input.current?.click()}>
          {run.state === 'running' ? 'Importing...' : 'Choose file'}
        </Button>
      </div>
    </Dialog>
  )
}
