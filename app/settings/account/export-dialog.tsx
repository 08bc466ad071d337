import { useState } from 'react'
import type { OwnUser } from '../../../schema/user.ts'
import type { Archive, SavedArchive } from '../../sync/archive/archive-format.ts'
import { Button } from '../../ui/buttons/button.tsx'
import styles from './account.module.css'
import { ArchiveDialog } from './archive-dialog.tsx'
import { DoneDialog } from './done-dialog.tsx'
import { describeSaved, useArchiveRun } from './use-archive-run.ts'

interface ExportDialogProps {
  user: OwnUser
  archive: Archive
  isOffline(): boolean
  /** Saves bytes to the person's downloads. */
  saveFile(bytes: Blob, name: string): void
  onClose(): void
}

/** Saves everything of this person as one zip. */
export function ExportDialog(props: ExportDialogProps) {
  const { user, archive, isOffline, saveFile, onClose } = props
  const [loadsMissing, setLoadsMissing] = useState(true)
  const { run, start, cancel } = useArchiveRun<SavedArchive>('Failed to export your data')
  const isAway = isOffline()

  function begin() {
    start(async (pace) => {
      const wanted = { ...pace, profile: user, loadsMissing: loadsMissing && !isOffline() }
      const saved = await archive.save(wanted)
      saveFile(saved.zip, saved.name)
      return saved
    })
  }

  if (run.state === 'done') {
    const { has, lacks } = describeSaved(run.result)
    return (
      <DoneDialog
        title="Your data is saved"
        text={has}
        more={
          <Button look="quiet" onClick={() => saveFile(run.result.zip, run.result.name)}>
            Save again
          </Button>
        }
        onClose={onClose}
      >
        {lacks && <p className={styles.words}>{lacks}</p>}
      </DoneDialog>
    )
  }
  return (
    <ArchiveDialog
      run={run}
      title="Export your data"
      text="Your profile, settings, contacts, pictures, chats, drafts and files, in one zip file. Anyone who has the file can read it."
      action={{ label: 'Export', busyLabel: 'Exporting...', onClick: begin }}
      onCancel={cancel}
      onClose={onClose}
    >
      <p className={styles.words}>
        {isAway ? "You're offline: the export has what is on this device. " : ''}
        Unsent recordings are not included.
      </p>
      {!isAway && (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={loadsMissing}
            onChange={(event) => setLoadsMissing(event.target.checked)}
          />
          Download files that aren't on this device
        </label>
      )}
    </ArchiveDialog>
  )
}
