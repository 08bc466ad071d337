import { useState } from 'react'
import { formatBytes } from '../ui/format-bytes.ts'
import { Icon } from '../ui/icon.tsx'
import { DocumentFile } from './document-file.tsx'
import styles from './message-file.module.css'
import type { MessageFileProps } from './message-file.tsx'
import { readFileFacts } from './read-file-facts.ts'
import { useFile } from './use-file.ts'
import { useObjectUrl } from './use-object-url.ts'

/** Sound and video: sound comes by itself, a video when it is asked for. */
export function PlayableFile(props: MessageFileProps) {
  const { messenger, message } = props
  const isAudio = message.type === 'audio'
  const { view, load } = useFile({ messenger, message, isAutomatic: isAudio })
  const url = useObjectUrl(view.kind === 'here' ? view.bytes : undefined)
  const [isBroken, setIsBroken] = useState(false)
  const { name, size } = readFileFacts(message)
  // What this browser can't play can still be saved.
  if (isBroken) return <DocumentFile {...props} />
  if (url === undefined) {
    return (
      <button
        type="button"
        className={isAudio ? styles.sound : styles.video}
        aria-label={`Load ${name}`}
        disabled={view.kind === 'loading'}
        onClick={() => void load()}
      >
        <span className={styles.wish}>
          <Icon name="download" size={18} />
          {describe(view, size)}
        </span>
      </button>
    )
  }
  const shared = { src: url, controls: true, 'aria-label': name, onError: () => setIsBroken(true) }
  return isAudio ? (
    <audio className={styles.sound} preload="metadata" {...shared} />
  ) : (
    <video className={styles.video} preload="metadata" playsInline {...shared} />
  )
}

function describe(view: ReturnType<typeof useFile>['view'], size: number | undefined): string {
  if (view.kind === 'loading') return 'Loading…'
  if (view.kind === 'away' && view.problem) return view.problem
  return size === undefined ? 'Load' : formatBytes(size)
}
