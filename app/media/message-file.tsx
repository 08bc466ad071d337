import { lazy, Suspense } from 'react'
import type { MessageDocument } from '../../schema/message.ts'
import type { Messenger } from '../sync/messenger.ts'
import { DocumentFile } from './document-file.tsx'
import styles from './message-file.module.css'
import { PictureFile, type PictureFileProps } from './picture-file.tsx'
import { PlayableFile } from './playable-file.tsx'
import { UploadNotice } from './upload-notice.tsx'

const VoiceFile = lazy(() =>
  import('./voice/voice-file.tsx').then((module) => ({ default: module.VoiceFile })),
)

export interface MessageFileProps {
  messenger: Pick<Messenger, 'files' | 'connection' | 'commands' | 'userId'>
  message: MessageDocument
}

/** The file of a message in its bubble; nothing where it has none. */
export function MessageFile(props: PictureFileProps) {
  const { message } = props
  if (message.file === undefined && message.mediaUrl === undefined) return null
  return (
    <>
      <FileOfKind {...props} />
      <UploadNotice {...props} />
    </>
  )
}

function FileOfKind(props: PictureFileProps) {
  const { type, file } = props.message
  if (file?.voice) {
    return (
      <div className={styles.voice}>
        <Suspense fallback={null}>
          <VoiceFile {...props} voice={file.voice} />
        </Suspense>
      </div>
    )
  }
  switch (type) {
    case 'image':
      return <PictureFile {...props} />
    case 'video':
    case 'audio':
      return <PlayableFile {...props} />
    default:
      return <DocumentFile {...props} />
  }
}
