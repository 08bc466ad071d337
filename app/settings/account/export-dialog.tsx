import { useState } from 'react'
import type { OwnUser } from '../../../schema/user.ts'
import type { Archive, SavedArchive } from '../../sync/archive/archive-format.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import styles from './account.module.css'
import { ArchiveProgressBar } from './archive-progress-bar.tsx'
import { describeSaved } from './describe-progress.ts'
import { useArchiveRun } from './use-archive-run.ts'

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
      <Dialog title="Your data is saved" text={has} onClose={onClose}>
        {lacks && <p className={styles.words}>{lacks}</p>}
        <div className={styles.buttons}>
          <Button look="quiet" onClick={() => saveFile(run.result.zip, run.result.name)}>
            Save again
          </Button>
          <Button onClick={onClose}>Done</Button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog
      title="Export your data"
      text="Your profile, settings, contacts, pictures, chats, drafts and files, in one zip file. Anyone who has the file can read it."
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
        <>
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
        </>
      )}
      <div className={styles.buttons}>
        <Button look="quiet" onClick={run.state === 'running' ? cancel : onClose}>
          Cancel
        </Button>
        <Button disabled={run.state === 'running'} onClick={begin}>
          {run.state === 'running' ? 'Exporting...' : 'Export'}
        </Button>
      </div>
    </Dialog>
  )
}
