import { useState } from 'react'
import type { VoiceFacts } from '../../../schema/attached-file.ts'
import { useFile } from '../loading/use-file.ts'
import { VoicePlayer } from '../voice/voice-player.tsx'
import { DocumentFile } from './document-file.tsx'
import type { MessageFileProps } from './file-facts.ts'

/** A voice message in its bubble; its waveform shows before the file loads. */
export function VoiceFile(props: MessageFileProps & { voice: VoiceFacts }) {
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
