import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { formatDate } from '../../ui/format/format-clock-time.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { readFileFacts } from '../files/read-file-facts.ts'
import { useShownFile } from '../loading/use-shown-file.ts'
import { PictureLayers } from '../pictures/picture-layers.tsx'
import { PlayMark } from '../pictures/play-mark.tsx'
import type { FoundProps } from './found-props.ts'
import styles from './media-page.module.css'

/** A picture or video in the grid: a square that opens the gallery. */
export function FoundPicture({
  messenger,
  message,
  author,
  onOpen,
  onGoToMessage,
}: FoundProps & { onOpen(): void }) {
  const isVideo = message.type === 'video'
  const shown = useShownFile({ messenger, message, isAutomatic: !isVideo })
  const url = isVideo ? undefined : shown.url
  const { name } = readFileFacts(message)
  const when = `${author}, ${formatDate(message.createdAt)}`
  return (
    <div className={styles.tile}>
      <button
        type="button"
        className={styles.face}
        aria-label={`Open ${isVideo ? 'video' : 'picture'} ${name}, ${when}`}
        onClick={onOpen}
      >
        <PictureLayers
          blur={message.file?.preview}
          url={url}
          alt={message.content || name}
          onError={shown.onError}
        />
        {url === undefined && (
          <span className={styles.symbol}>
            {isVideo ? <PlayMark /> : <Icon name="picture" size={28} />}
          </span>
        )}
      </button>
      <IconButton
        className={styles.tileTool}
        icon="chats"
        iconSize={18}
        label="Go to message"
        onClick={onGoToMessage}
      />
    </div>
  )
}
