import { v7 as createId } from 'uuid'
import { wordsOf } from '../../../schema/helpers/words-of.ts'
import { limits } from '../../../schema/limits.ts'
import type { Level, VoiceDraft, VoiceDrafts } from '../../database/files/voice-drafts.ts'
import { createLiveValue } from '../../database/views/live-value.ts'
import { logProblem } from '../../ui/log-problem.ts'
import { openMicrophone } from './open-microphone.ts'
import { stepVoice, type Voice, type VoiceEvent, type VoiceState } from './step-voice.ts'
import { foldLevels } from './waveform.ts'

const brokenWords =
  'The microphone was disconnected. What you recorded is kept: send it, or discard it.'
const longWords = `Voice messages can be up to ${limits.voiceMaxMs / 60_000} minutes long. Send this one, then record the rest.`

export type VoiceRecorder = ReturnType<typeof createVoiceRecorder>

/**
 * One voice message, from the start of recording until it is sent or discarded. Stores the
 * recording on the device piece by piece, so that nothing else loses it: `close` keeps it for the
 * next time (P1).
 */
export function createVoiceRecorder(options: {
  peerId: string
  drafts: VoiceDrafts
  /** A stored draft to continue with; else starts to record in a format. */
  begin: { draft: VoiceDraft } | { format: string; isHeld: boolean }
  /** Stores it as a message. Rejects with words for a person. */
  store(voice: Voice, messageId: string): Promise<void>
}) {
  const { peerId, drafts, begin, store } = options
  const draft = 'draft' in begin ? begin.draft : undefined
  const messageId = draft?.messageId ?? createId()
  const pieces: Blob[] = []
  const levels: Level[] = []
  const state = createLiveValue<VoiceState>(
    'draft' in begin
      ? { kind: 'ready', voice: describe(begin.draft) }
      : { kind: 'asking', isHeld: begin.isHeld },
  )
  /** Shown while recording: the length so far, ms, and the levels. */
  const heard = createLiveValue<{ durationMs: number; levels: readonly Level[] }>({
    durationMs: 0,
    levels,
  })
  let durationMs = 1
  let keptLevels = 0
  let keeping = Promise.resolve()

  const release = draft ? () => {} : drafts.hold(messageId)
  const opening =
    'format' in begin
      ? openMicrophone(begin.format, {
          onPiece: keep,
          onLevel(level) {
            levels.push(level)
            durationMs = Math.round(level.at)
            heard.set({ durationMs, levels })
            if (level.at >= limits.voiceMaxMs) tell({ kind: 'broken', words: longWords })
          },
          onBroken: () => tell({ kind: 'broken', words: brokenWords }),
        })
      : undefined
  opening?.then(
    () => tell({ kind: 'opened' }),
    (cause: Error) => tell({ kind: 'refused', words: cause.message }),
  )

  function keep(bytes: Blob, endsAt: number) {
    // A page in the background gets levels less often.
    durationMs = Math.max(1, Math.round(endsAt))
    const place = pieces.push(bytes) - 1
    const own = levels.slice(keptLevels)
    keptLevels = levels.length
    const part = { peerId, messageId, place, bytes, levels: own, endsAt: durationMs }
    keeping = keeping
      .then(() => drafts.keep(part))
      .catch((cause: unknown) => logProblem('A voice message is not kept while it records', cause))
  }

  /** Releases the microphone even if the person left during the permission prompt. */
  async function endMicrophone() {
    await opening?.then((microphone) => microphone.end()).catch(() => {})
    await keeping
  }

  function tell(event: VoiceEvent) {
    const before = state.getSnapshot()
    const next = stepVoice(before, event)
    if (next === before) return
    state.set(next)
    if (next.kind !== before.kind) act(next)
  }

  function act(now: VoiceState) {
    if (now.kind === 'ending') void endMicrophone().then(finish)
    if (now.kind === 'sending') void send(now.voice)
    if (now.kind === 'over') void drop()
  }

  function finish() {
    const type = pieces[0]?.type ?? ''
    const whole = { bytes: new Blob(pieces, { type }), durationMs, levels }
    tell({ kind: 'recorded', voice: pieces.length > 0 ? describe(whole) : undefined })
  }

  async function send(voice: Voice) {
    try {
      await store(voice, messageId)
      tell({ kind: 'stored' })
    } catch (cause) {
      tell({ kind: 'unstored', words: wordsOf(cause) })
    }
  }

  async function close() {
    await endMicrophone()
    release()
  }

  async function drop() {
    await endMicrophone()
    await drafts
      .drop({ peerId, messageId })
      .catch((cause: unknown) => logProblem('A voice message stays on this device', cause))
  }

  return {
    state,
    heard,
    tell,
    /** Releases the microphone. `drafts` keeps a recording that was neither sent nor discarded. */
    close,
  }
}

function describe({
  bytes,
  durationMs,
  levels,
}: Pick<VoiceDraft, 'bytes' | 'durationMs' | 'levels'>) {
  return { bytes, durationMs, waveform: foldLevels(levels, durationMs) }
}
