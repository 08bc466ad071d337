import type { Level } from '../../database/files/voice-drafts.ts'

export interface Microphone {
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

const pieceMs = 2_000
const levelMs = 100
const bitsPerSecond = 32_000

/** Records from the microphone, once the person allows it. Rejects with words for a person. */
export async function openMicrophone(
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
