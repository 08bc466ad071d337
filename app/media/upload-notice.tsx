import { isUploadOwed } from '../../schema/message.ts'
import type { UploadState } from '../sync/files/create-uploads.ts'
import { useLivePart } from '../ui/use-live-value.ts'
import styles from './message-file.module.css'
import type { MessageFileProps } from './message-file.tsx'

/** How it stands with an own file that has not left yet, and the way to give it up. */
export function UploadNotice({ messenger, message }: MessageFileProps) {
  const { _id, status } = message
  const state = useLivePart(messenger.files.uploads, (all) => all.get(_id))
  if (status !== 'sending' || !isUploadOwed(message)) return null
  return (
    <p className={styles.upload} role="status">
      {state?.kind === 'uploading' && <span className={styles.ring} aria-hidden="true" />}
      <span>{describe(state)}</span>
      <button type="button" onClick={() => void messenger.commands.discardMessage(_id)}>
        Cancel
      </button>
    </p>
  )
}

function describe(state: UploadState | undefined): string {
  if (state?.kind === 'uploading') return 'Uploading…'
  return state?.words ? `${state.words} Trying again soon.` : 'Waiting to upload'
}
