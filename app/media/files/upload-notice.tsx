import { isUploadOwed } from '../../../schema/message.ts'
import type { UploadState } from '../../sync/files/uploads.ts'
import { useLivePart } from '../../ui/hooks/use-live-value.ts'
import styles from './message-file.module.css'
import type { MessageFileProps } from './message-file-props.ts'
import { UploadRing } from './upload-ring.tsx'

/** The state of an own file's upload, and the way to cancel it. */
export function UploadNotice({ messenger, message }: MessageFileProps) {
  const { _id, status } = message
  const state = useLivePart(messenger.files.uploads, (all) => all.get(_id))
  if (status !== 'sending' || !isUploadOwed(message)) return null
  const share = state?.kind === 'uploading' ? state.share : undefined
  const percent = share === undefined ? undefined : Math.floor(share * 100)
  return (
    <div className={styles.upload}>
      {state?.kind === 'uploading' && <UploadRing percent={percent} />}
      <p role="status">{describe(state)}</p>
      {/* Screen readers get the progress from the ring. */}
      {percent !== undefined && (
        <span className={styles.percent} aria-hidden="true">
          {percent}%
        </span>
      )}
      <button type="button" onClick={() => void messenger.commands.discardMessage(_id)}>
        Cancel
      </button>
    </div>
  )
}

function describe(state: UploadState | undefined): string {
  if (state?.kind === 'uploading') return 'Uploading…'
  return state?.words ? `${state.words} Trying again soon.` : 'Waiting to upload'
}
