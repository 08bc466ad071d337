import { lazy, Suspense } from 'react'
import { AudioFile } from './audio-file.tsx'
import styles from './message-file.module.css'
import type { MessageFileProps } from './message-file-props.ts'

const VoiceFile = lazy(() =>
  import('./voice-file.tsx').then((module) => ({ default: module.VoiceFile })),
)

/** A voice message with its waveform, or other audio in the browser's own player. */
export function SoundFile(props: MessageFileProps) {
  const { voice } = props.message.file ?? {}
  if (!voice) return <AudioFile {...props} />
  return (
    <div className={styles.voice}>
      <Suspense fallback={null}>
        <VoiceFile {...props} voice={voice} />
      </Suspense>
    </div>
  )
}
