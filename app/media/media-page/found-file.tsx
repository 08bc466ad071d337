import { DocumentFile } from '../files/document-file.tsx'
import { SoundFile } from '../files/sound-file.tsx'
import { FoundNote } from './found-note.tsx'
import type { FoundProps } from './found-props.ts'
import styles from './media-page.module.css'

/** A document to save, or audio to play. */
export function FoundFile({ messenger, message, author, onGoToMessage }: FoundProps) {
  const File = message.type === 'audio' ? SoundFile : DocumentFile
  return (
    <div className={styles.found}>
      <File messenger={messenger} message={message} />
      <FoundNote message={message} author={author} onGoToMessage={onGoToMessage} />
    </div>
  )
}
