import { DocumentFile } from './document-file.tsx'
import { findFileBox } from './find-file-box.ts'
import styles from './message-file.module.css'
import { PictureFile, type PictureFileProps } from './picture-file.tsx'
import { SoundFile } from './sound-file.tsx'
import { UploadNotice } from './upload-notice.tsx'
import { VideoFile } from './video-file.tsx'

/** The proportions of a video without a known size. */
const unknownVideo = { width: 16, height: 9 }

/** A message's file in its bubble; renders nothing without one. */
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
      return (
        <VideoFile
          {...props}
          className={styles.video}
          style={findFileBox(props.message.file, unknownVideo)}
        />
      )
    case 'audio':
      return <SoundFile {...props} />
    default:
      return <DocumentFile {...props} />
  }
}
