import { useState } from 'react'
import type { MessageDocument } from '../../schema/message.ts'
import { formatBytes } from '../ui/format-bytes.ts'
import { Icon } from '../ui/icon.tsx'
import styles from './message-file.module.css'
import type { MessageFileProps } from './message-file.tsx'
import { readFileFacts } from './read-file-facts.ts'
import { useFile } from './use-file.ts'
import { useObjectUrl } from './use-object-url.ts'

/** Of a picture whose size nobody said. */
const unknownSize = { width: 4, height: 3 }
/** In rem: what is higher or wider is drawn smaller, and what is tiny keeps room for a finger. */
const [widest, highest, least] = [20, 22, 6]

export interface PictureFileProps extends MessageFileProps {
  /** Called when a picture that is here is pressed. */
  onOpenPicture(message: MessageDocument): void
}

/** A picture: its place is there at once, then its blur, then itself. */
export function PictureFile({ messenger, message, onOpenPicture }: PictureFileProps) {
  const { view, load } = useFile({ messenger, message, isAutomatic: true })
  const url = useObjectUrl(view.kind === 'here' ? view.bytes : undefined)
  const [isBroken, setIsBroken] = useState(false)
  const { name, size } = readFileFacts(message)
  const problem = view.kind === 'away' ? view.problem : undefined
  const isHere = url !== undefined && !isBroken
  const wish = size === undefined ? 'Download' : `Download, ${formatBytes(size)}`
  return (
    <button
      type="button"
      className={styles.picture}
      style={findBox(message.file)}
      aria-label={isHere ? `Open picture ${name}` : `${problem ?? wish}: picture ${name}`}
      onClick={() => (isHere ? onOpenPicture(message) : void load())}
    >
      {message.file?.preview && (
        <img className={styles.blur} src={message.file.preview} alt="" aria-hidden="true" />
      )}
      {isHere && (
        <img
          className={styles.sharp}
          src={url}
          alt={message.content || name}
          draggable={false}
          onError={() => setIsBroken(true)}
        />
      )}
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

function findBox(file: { width?: number | undefined; height?: number | undefined } | undefined) {
  const { width = unknownSize.width, height = unknownSize.height } = file ?? {}
  const scale = Math.min(widest / width, highest / height)
  const [wide, high] = [Math.max(least, width * scale), Math.max(least, height * scale)]
  return { width: `${wide}rem`, aspectRatio: `${wide} / ${high}` }
}
