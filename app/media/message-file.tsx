import type { MessageDocument } from '../../schema/message.ts'
import type { Messenger } from '../sync/messenger.ts'
import { DocumentFile } from './document-file.tsx'
import { PictureFile, type PictureFileProps } from './picture-file.tsx'
import { PlayableFile } from './playable-file.tsx'
import { SoundFile } from './sound-file.tsx'
import { UploadNotice } from './upload-notice.tsx'

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
  switch (props.message.type) {
    case 'image':
      return <PictureFile {...props} />
    case 'video':
      return <PlayableFile {...props} />
    case 'audio':
      return <SoundFile {...props} />
    default:
      return <DocumentFile {...props} />
  }
}
