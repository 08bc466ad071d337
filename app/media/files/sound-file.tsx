import { useState } from 'react'
import type { VoiceFacts } from '../../../schema/attached-file.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { useFile, useShownFile } from '../loading/use-file.ts'
import { VoicePlayer } from '../voice/voice-player.tsx'
import { DocumentFile } from './document-file.tsx'
import { describeWish, type MessageFileProps, readFileFacts } from './file-facts.ts'
import styles from './message-file.module.css'

/** A voice message with its waveform, or other audio in the browser's own player. */
export function SoundFile(props: MessageFileProps) {
  const { voice } = props.message.file ?? {}
  if (!voice) return <AudioFile {...props} />
  return (
    <div className={styles.voice}>
      <VoiceFile {...props} voice={voice} />
    </div>
  )
}

/** Audio in the browser's own player; loads automatically. */
function AudioFile(props: MessageFileProps) {
  const { messenger, message } = props
  const { view, load, url, isBroken, onError } = useShownFile({
    messenger,
    message,
    isAutomatic: true,
  })
  const { name, size } = readFileFacts(message)
  // A file that this browser cannot play can still be saved.
  if (isBroken) return <DocumentFile {...props} />
  if (url !== undefined) {
    const shared = { src: url, controls: true, 'aria-label': name, onError }
    return <audio className={styles.sound} preload="metadata" {...shared} />
  }
  return (
    <button
      type="button"
      className={styles.sound}
      aria-label={`Load ${name}`}
      // Not `disabled`, which would remove the focus from the pressed button.
      aria-disabled={view.kind === 'loading'}
      onClick={() => view.kind !== 'loading' && void load()}
    >
      {view.kind !== 'reading' && (
        <span className={styles.wish}>
          <Icon name="download" size={18} />
          {describeWish(view, size)}
        </span>
      )}
    </button>
  )
}

/** A voice message in its bubble; its waveform shows before the file loads. */
function VoiceFile(props: MessageFileProps & { voice: VoiceFacts }) {
  const { messenger, message, voice } = props
  const { view, load } = useFile({ messenger, message, isAutomatic: true })
  const [isBroken, setIsBroken] = useState(false)
  // A file that this browser cannot play can still be saved.
  if (isBroken) return <DocumentFile {...props} />
  const problem = view.kind === 'away' ? view.problem : undefined
  return (
    <VoicePlayer
      bytes={view.kind === 'here' ? view.bytes : undefined}
      voice={voice}
      note={view.kind === 'loading' ? 'Loading…' : problem}
      onWant={() => void load()}
      onBroken={() => setIsBroken(true)}
    />
  )
}
