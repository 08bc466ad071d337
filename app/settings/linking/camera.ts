import { pause } from '../../sync/platform/back-off.ts'
import { openCodeReader } from './open-code-reader.ts'

/** Enough for a code that fills a third of the picture, and quick to read on an old phone. */
const frameMaxPx = 720
const lookEveryMs = 150

const words: Record<string, string> = {
  NotAllowedError: 'The camera is blocked. Allow it in your browser’s settings, or paste the link.',
  NotFoundError: 'This device has no camera. Paste the link instead.',
}
const otherWords = 'The camera can’t be used right now. Paste the link instead.'

/** Why there is no picture, for a person. */
export function describeCameraProblem(cause: unknown): string {
  const name = cause instanceof DOMException ? cause.name : ''
  return words[name] ?? otherWords
}

/**
 * Shows the camera's picture in `video`, and reads codes from it until `signal` aborts.
 * @throws what the browser throws without a camera, or without the permission for it
 */
export async function readFromCamera(options: {
  video: HTMLVideoElement
  signal: AbortSignal
  onStarted: () => void
  onText: (text: string) => void
}): Promise<void> {
  const { video, signal, onStarted, onText } = options
  if (!navigator.mediaDevices) throw new DOMException('No camera here', 'NotFoundError')
  const facing = { facingMode: 'environment' }
  const stream = await navigator.mediaDevices.getUserMedia({ video: facing, audio: false })
  const stop = () => {
    for (const track of stream.getTracks()) track.stop()
    video.srcObject = null
  }
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) return stop()
  try {
    video.srcObject = stream
    await video.play()
    onStarted()
    const readCode = await openCodeReader()
    const takeFrame = openFrames(video)
    for (;;) {
      const frame = takeFrame()
      const text = frame && (await readCode(frame))
      signal.throwIfAborted()
      if (text !== undefined) onText(text)
      await pause(lookEveryMs, signal)
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

function openFrames(video: HTMLVideoElement) {
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d', { willReadFrequently: true })
  return () => {
    const { videoWidth, videoHeight } = video
    if (!context || videoWidth === 0) return undefined
    const scale = Math.min(1, frameMaxPx / Math.max(videoWidth, videoHeight))
    canvas.width = Math.round(videoWidth * scale)
    canvas.height = Math.round(videoHeight * scale)
    context.drawImage(video, 0, 0, canvas.width, canvas.height)
    return context.getImageData(0, 0, canvas.width, canvas.height)
  }
}
