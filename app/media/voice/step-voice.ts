/** A recording that has ended. */
export interface Voice {
  bytes: Blob
  durationMs: number
  waveform: string
}

/**
 * A voice message before it is sent. `isHeld`: it records while a finger stays on the microphone.
 * `ending` waits for the last bytes. `words` say what happened, and what to do.
 */
export type VoiceState =
  | { kind: 'asking'; isHeld: boolean }
  | { kind: 'recording'; isHeld: boolean }
  | { kind: 'ending'; isSent: boolean; words?: string }
  | { kind: 'ready'; voice: Voice; words?: string }
  | { kind: 'sending'; voice: Voice }
  | { kind: 'refused'; words: string }
  | { kind: 'over' }

export type VoiceEvent =
  | { kind: 'opened' }
  | { kind: 'refused'; words: string }
  /** The finger has lifted, or need not stay. */
  | { kind: 'locked' }
  | { kind: 'stopped' }
  /** The recording broke off. */
  | { kind: 'broken'; words: string }
  /** The complete recording; undefined if empty. */
  | { kind: 'recorded'; voice: Voice | undefined }
  | { kind: 'sent' }
  | { kind: 'stored' }
  | { kind: 'unstored'; words: string }
  | { kind: 'discarded' }

const nothingWords = 'Nothing was recorded. Check your microphone, then try again.'

/**
 * The next state. An event that makes no sense now, such as the second of two presses, changes
 * nothing.
 */
export function stepVoice(state: VoiceState, event: VoiceEvent): VoiceState {
  if (state.kind === 'over') return state
  if (event.kind === 'discarded') return state.kind === 'sending' ? state : { kind: 'over' }
  switch (state.kind) {
    case 'asking':
      if (event.kind === 'opened') return { kind: 'recording', isHeld: state.isHeld }
      // A finger that lifted during the permission prompt has not recorded anything yet.
      if (event.kind === 'locked' || event.kind === 'sent') return { ...state, isHeld: false }
      return event.kind === 'refused' ? event : state
    case 'recording':
      if (event.kind === 'locked') return { ...state, isHeld: false }
      if (event.kind === 'stopped') return { kind: 'ending', isSent: false }
      if (event.kind === 'sent') return { kind: 'ending', isSent: true }
      if (event.kind === 'broken') return { kind: 'ending', isSent: false, words: event.words }
      return state
    case 'ending':
      return event.kind === 'recorded' ? endWith(event.voice, state) : state
    case 'ready':
      return event.kind === 'sent' ? { kind: 'sending', voice: state.voice } : state
    case 'sending':
      if (event.kind === 'stored') return { kind: 'over' }
      if (event.kind === 'unstored') return { ...state, kind: 'ready', words: event.words }
      return state
    case 'refused':
      return state
  }
}

function endWith(
  voice: Voice | undefined,
  { isSent, words }: { isSent: boolean; words?: string },
): VoiceState {
  if (!voice) return { kind: 'refused', words: nothingWords }
  return isSent ? { kind: 'sending', voice } : { kind: 'ready', voice, ...(words && { words }) }
}
