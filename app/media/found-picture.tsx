import { useState } from 'react'
import { formatDate } from '../ui/format-clock-time.ts'
import { Icon } from '../ui/icon.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import type { FoundProps } from './found-props.ts'
import styles from './media-page.module.css'
import { readFileFacts } from './read-file-facts.ts'
import { useFile } from './use-file.ts'
import { useObjectUrl } from './use-object-url.ts'

/** A picture, or a video, as one of many: a square that opens the gallery. */
export function FoundPicture({
  messenger,
  message,
  author,
  onOpen,
  onGoToMessage,
}: FoundProps & { onOpen(): void }) {
  const isVideo = message.type === 'video'
  const { view } = useFile({ messenger, message, isAutomatic: !isVideo })
  const url = useObjectUrl(!isVideo && view.kind === 'here' ? view.bytes : undefined)
  const [isBroken, setIsBroken] = useState(false)
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
        {message.file?.preview && (
          <img className={styles.blur} src={message.file.preview} alt="" aria-hidden="true" />
        )}
        {url !== undefined && !isBroken ? (
          <img
            className={styles.sharp}
            src={url}
            alt={message.content || name}
            draggable={false}
            onError={() => setIsBroken(true)}
          />
        ) : (
          <span className={styles.symbol}>
            <Icon name={isVideo ? 'video' : 'picture'} size={28} />
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
