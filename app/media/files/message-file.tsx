import type { AttachedFile } from '../../../schema/attached-file.ts'
import { isSticker, isUploadOwed, type MessageDocument } from '../../../schema/message.ts'
import type { UploadState } from '../../sync/files/uploads.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { formatBytes } from '../../ui/format/format-amounts.ts'
import { useLivePart } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { joinClassNames } from '../../ui/styles/join-class-names.ts'
import { useShownFile } from '../loading/use-file.ts'
import { pictureMark } from '../pictures/picture-flight.ts'
import { PictureLayers } from '../pictures/picture-layers.tsx'
import { DocumentFile } from './document-file.tsx'
import { type MessageFileProps, readFileFacts } from './file-facts.ts'
import styles from './message-file.module.css'
import { SoundFile } from './sound-file.tsx'
import uploadRingStyles from './upload-ring.module.css'
import { VideoFile } from './video-file.tsx'

/** In rem: larger files are drawn smaller, and tiny ones keep room for a finger. */
const [widest, highest, least] = [20, 22, 6]

/** rem of a sticker's longer side. */
const stickerSide = 10

/** The proportions of a picture without a known size. */
const unknownPicture = { width: 4, height: 3 }

/** The proportions of a video without a known size. */
const unknownVideo = { width: 16, height: 9 }

/** A message's file in its bubble; renders nothing without one. */
export function MessageFile(props: PictureFileProps) {
  const { message, isTile } = props
  if (message.file === undefined && message.mediaUrl === undefined) return null
  const isPictured = message.type === 'image' || message.type === 'video'
  return (
    <div
      className={joinClassNames(isPictured && styles.pictured, isPictured && isTile && styles.tile)}
    >
      <FileOfKind {...props} />
      <UploadNotice {...props} />
    </div>
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
          style={props.isTile ? {} : findFileBox(props.message.file, unknownVideo)}
          onOpen={props.isTile ? () => props.onOpenPicture(props.message) : undefined}
        />
      )
    case 'audio':
      return <SoundFile {...props} />
    default:
      return <DocumentFile {...props} />
  }
}

/** The state of an own file's upload, and the way to cancel it. */
function UploadNotice({ messenger, message }: MessageFileProps) {
  const { _id, status } = message
  const state = useLivePart(messenger.files.uploads, (all) => all.get(_id))
  if (status !== 'sending' || !isUploadOwed(message)) return null
  const share = state?.kind === 'uploading' ? state.share : undefined
  const percent = share === undefined ? undefined : Math.floor(share * 100)
  return (
    <div className={styles.upload}>
      <span className={styles.stop}>
        {state?.kind === 'uploading' && <UploadRing percent={percent} />}
        <IconButton
          icon="close"
          label="Cancel"
          isSmall
          onClick={() => void messenger.commands.discardMessage(_id)}
        />
      </span>
      <p className={styles.uploadWords} role="status">
        {describe(state)}
      </p>
      {/* Screen readers get the progress from the ring. */}
      {percent !== undefined && (
        <span className={styles.percent} aria-hidden="true">
          {percent}%
        </span>
      )}
    </div>
  )
}

function describe(state: UploadState | undefined): string {
  if (state?.kind === 'uploading') return 'Uploading…'
  return state?.words ? `${state.words} Trying again soon.` : 'Waiting to upload'
}

/** An upload's progress. @param percent undefined if unknown: then the ring only shows activity */
function UploadRing({ percent }: { percent: number | undefined }) {
  return (
    <span
      role="progressbar"
      aria-label="Upload"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={uploadRingStyles.ring}
    >
      <svg
        viewBox="0 0 20 20"
        aria-hidden="true"
        className={percent === undefined ? uploadRingStyles.turning : uploadRingStyles.filling}
      >
        <circle className={uploadRingStyles.whole} cx="10" cy="10" r="8" />
        <circle
          className={uploadRingStyles.done}
          cx="10"
          cy="10"
          r="8"
          pathLength="100"
          strokeDasharray={`${percent ?? 25} 100`}
        />
      </svg>
    </span>
  )
}

interface PictureFileProps extends MessageFileProps {
  /** Called when a loaded picture is pressed. */
  onOpenPicture(message: MessageDocument): void
  /** Does it fill a tile of an album? */
  isTile?: boolean
}

/** A picture: first its reserved space, then its blur, then the picture. */
function PictureFile({ messenger, message, isTile, onOpenPicture }: PictureFileProps) {
  const { view, load, url, isReady, isBroken, onError } = useShownFile({
    messenger,
    message,
    isAutomatic: true,
  })
  const { name, size } = readFileFacts(message)
  const problem = view.kind === 'away' ? view.problem : undefined
  const isHere = url !== undefined
  const standsFree = isSticker(message)
  const wish = size === undefined ? 'Download' : `Download, ${formatBytes(size)}`
  const label =
    view.kind === 'loading' ? `Loading picture ${name}` : `${problem ?? wish}: picture ${name}`
  return (
    <button
      type="button"
      className={joinClassNames(styles.picture, standsFree && styles.free)}
      style={
        isTile
          ? {}
          : findFileBox(message.file, unknownPicture, standsFree ? stickerSide : undefined)
      }
      {...{ [pictureMark]: message._id }}
      aria-label={isHere ? `Open picture ${name}` : label}
      onClick={() => (isHere ? onOpenPicture(message) : void load())}
    >
      <PictureLayers
        // It would show through.
        blur={standsFree && isHere ? undefined : message.file?.preview}
        url={url}
        isReady={isReady}
        alt={message.content || name}
        onError={onError}
      />
      {view.kind === 'away' && (
        <span className={styles.wish}>
          <Icon name="download" size={18} />
          {problem ?? wish}
        </span>
      )}
      {view.kind === 'loading' && <span className={styles.wish}>Loading…</span>}
      {isBroken && <span className={styles.wish}>This picture can't be shown.</span>}
    </button>
  )
}

type Sizes = Pick<AttachedFile, 'width' | 'height'>

/**
 * The styles that reserve a picture's or video's space in its bubble before the file loads.
 * `unknown`: the proportions for a file without a known size. `side`: rem of the longer side at most.
 */
export function findFileBox(file: Sizes | undefined, unknown: Required<Sizes>, side = highest) {
  const { width = unknown.width, height = unknown.height } = file ?? {}
  const scale = Math.min(Math.min(widest, side) / width, side / height)
  const [wide, high] = [Math.max(least, width * scale), Math.max(least, height * scale)]
  return { width: `${wide}rem`, aspectRatio: `${wide} / ${high}` }
}
