import type { MessageDocument } from '../../../schema/message.ts'
import { formatBytes } from '../../ui/format/format-bytes.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { useShownFile } from '../loading/use-shown-file.ts'
import { PictureLayers } from '../pictures/picture-layers.tsx'
import { findFileBox } from './find-file-box.ts'
import styles from './message-file.module.css'
import type { MessageFileProps } from './message-file-props.ts'
import { readFileFacts } from './read-file-facts.ts'

/** The proportions of a picture without a known size. */
const unknownPicture = { width: 4, height: 3 }

export interface PictureFileProps extends MessageFileProps {
  /** Called when a loaded picture is pressed. */
  onOpenPicture(message: MessageDocument): void
}

/** A picture: first its reserved space, then its blur, then the picture. */
export function PictureFile({ messenger, message, onOpenPicture }: PictureFileProps) {
  const { view, load, url, isBroken, onError } = useShownFile({
    messenger,
    message,
    isAutomatic: true,
  })
  const { name, size } = readFileFacts(message)
  const problem = view.kind === 'away' ? view.problem : undefined
  const isHere = url !== undefined
  const wish = size === undefined ? 'Download' : `Download, ${formatBytes(size)}`
  const label =
    view.kind === 'loading' ? `Loading picture ${name}` : `${problem ?? wish}: picture ${name}`
  return (
    <button
      type="button"
      className={styles.picture}
      style={findFileBox(message.file, unknownPicture)}
      aria-label={isHere ? `Open picture ${name}` : label}
      onClick={() => (isHere ? onOpenPicture(message) : void load())}
    >
      <PictureLayers
        blur={message.file?.preview}
        url={url}
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
