import { useRef } from 'react'
import type { Archive, RestoredArchive } from '../../sync/archive/archive-format.ts'
import styles from './account.module.css'
import { ArchiveDialog } from './archive-dialog.tsx'
import { DoneDialog } from './done-dialog.tsx'
import { describeRestored, useArchiveRun } from './use-archive-run.ts'

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
      <DoneDialog title="Import finished" text={describeRestored(run.result)} onClose={onClose} />
    )
  }
  return (
    <ArchiveDialog
      run={run}
      title="Import your data"
      text="Adds the chats and files of a Petrel export of this account to this device. Nothing here is replaced by something older."
      action={{
        label: 'Choose file',
        busyLabel: 'Importing...',
        onClick: () => input.current?.click(),
      }}
      onCancel={cancel}
      onClose={onClose}
    >
      <p className={styles.words}>
        Your profile and settings come from your account. This works offline too.
      </p>
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
    </ArchiveDialog>
  )
}
