import { v7 as createId } from 'uuid'
import { wordsOf } from '../../../schema/helpers/text.ts'
import { limits } from '../../../schema/limits.ts'
import type { Level, VoiceDraft, VoiceDrafts } from '../../database/files/voice-drafts.ts'
import { createLiveValue } from '../../database/views/live-value.ts'
import { logProblem } from '../../ui/product.ts'
import { stepVoice, type Voice, type VoiceEvent, type VoiceState } from './step-voice.ts'
import { foldLevels } from './waveform.ts'

const pieceMs = 2_000

const levelMs = 100

const bitsPerSecond = 32_000

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

interface Microphone {
  /** Ends the recording and releases the device; resolves after the last piece. Idempotent. */
  end(): Promise<void>
}

interface MicrophoneEvents {
  /** `endsAt`: ms from the start. */
  onPiece(bytes: Blob, endsAt: number): void
  onLevel(level: Level): void
  /** Called when the device, not `end`, ended it. */
  onBroken(): void
}

/** Records from the microphone, once the person allows it. Rejects with words for a person. */
async function openMicrophone(
  format: string,
  { onPiece, onLevel, onBroken }: MicrophoneEvents,
): Promise<Microphone> {
  const audio = { channelCount: 1, echoCancellation: true, noiseSuppression: true }
  const stream = await navigator.mediaDevices.getUserMedia({ audio }).catch((cause: unknown) => {
    throw new Error(describeRefusal(cause), { cause })
  })
  try {
    const recorder = new MediaRecorder(stream, {
      mimeType: format,
      audioBitsPerSecond: bitsPerSecond,
    })
    const began = performance.now()
    const meter = openMeter(stream)
    const now = () => performance.now() - began
    const timer = setInterval(() => onLevel({ at: now(), level: meter.read() }), levelMs)
    let isWanted = false
    const ended = new Promise<void>((resolve) => {
      recorder.onstop = () => {
        clearInterval(timer)
        meter.close()
        free(stream)
        resolve()
        if (!isWanted) onBroken()
      }
    })
    recorder.ondataavailable = ({ data }) => {
      // Not every browser sets the type of a piece.
      if (data.size > 0) onPiece(new Blob([data], { type: data.type || format }), now())
    }
    recorder.start(pieceMs)
    return {
      end() {
        isWanted = true
        if (recorder.state !== 'inactive') recorder.stop()
        return ended
      },
    }
  } catch (cause) {
    free(stream)
    throw new Error(describeRefusal(cause), { cause })
  }
}

/** The current loudness, from 0 to 1; 0 if it cannot be measured. */
function openMeter(stream: MediaStream) {
  const context = new AudioContext()
  const analyser = context.createAnalyser()
  const samples = new Float32Array(analyser.fftSize)
  context.createMediaStreamSource(stream).connect(analyser)
  return {
    read() {
      analyser.getFloatTimeDomainData(samples)
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
      // Perceived loudness is not linear in power.
      return Math.min(1, 1.5 * Math.sqrt(Math.sqrt(power)))
    },
    close: () => void context.close(),
  }
}

function free(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop()
}

function describeRefusal(cause: unknown): string {
  switch (cause instanceof DOMException ? cause.name : undefined) {
    case 'NotAllowedError':
    case 'SecurityError':
      return "Petrel can't use the microphone. Allow it for this site in your browser's settings, then try again."
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'No microphone was found. Connect one, then try again.'
    case 'NotReadableError':
    case 'AbortError':
      return 'The microphone is busy. Close the app that uses it, then try again.'
    default:
      return "The recording couldn't start. Try again."
  }
}
