import { useEffect, useRef, useState } from 'react'
import { useLatest } from '../hooks/use-latest.ts'
import styles from './code-camera.module.css'

/** Enough for a code that fills a third of the picture, and quick to read on an old phone. */
const frameMaxPx = 720

const lookEveryMs = 150

const problems: Record<string, string> = {
  NotAllowedError: 'The camera is blocked. Allow it in your browser’s settings.',
  NotFoundError: 'This device has no camera.',
}

const otherProblem = 'The camera can’t be used right now.'

interface CodeCameraProps {
  /** What to point the camera at. */
  hint: string
  /** What to do without a camera. */
  problemHint: string
  /** Called with what a code says, again and again while it is in sight. */
  onText(text: string): void
}

/** The camera's picture, from which QR codes are read. */
export function CodeCamera({ hint, problemHint, onText }: CodeCameraProps) {
  const video = useRef<HTMLVideoElement>(null)
  const [camera, setCamera] = useState<{ problem?: string; isStarted: boolean }>({
    isStarted: false,
  })
  const take = useLatest(onText)
  useEffect(() => {
    const element = video.current
    if (!element) return
    const stop = new AbortController()
    const { signal } = stop
    readFromCamera({
      video: element,
      signal,
      onStarted: () => setCamera({ isStarted: true }),
      onText: (text) => take.current(text),
    }).catch((cause: unknown) => {
      if (!signal.aborted) setCamera({ isStarted: false, problem: describeCameraProblem(cause) })
    })
    return () => stop.abort()
  }, [take])
  return (
    <>
      <div className={styles.picture} hidden={camera.problem !== undefined}>
        {/* The camera's picture has no sound. */}
        <video ref={video} muted playsInline aria-label="Camera" />
        <span className={styles.frame} />
        {!camera.isStarted && <p className={styles.starting}>Starting the camera…</p>}
      </div>
      <p className={styles.hint} role="status">
        {camera.problem ? `${camera.problem} ${problemHint}` : hint}
      </p>
    </>
  )
}

/** Why there is no picture, for a person. */
function describeCameraProblem(cause: unknown): string {
  const name = cause instanceof DOMException ? cause.name : ''
  return problems[name] ?? otherProblem
}

/**
 * Shows the camera's picture in `video`, and reads codes from it until `signal` aborts.
 * @throws what the browser throws without a camera, or without the permission for it
 */
async function readFromCamera(options: {
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

/** Reads the QR code in a frame; undefined when there is none. */
type ReadCode = (frame: ImageData) => Promise<string | undefined>

interface Detector {
  detect(frame: ImageData): Promise<readonly { rawValue: string }[]>
}

interface DetectorMaker {
  new (options: { formats: string[] }): Detector
  getSupportedFormats(): Promise<string[]>
}

/** The browser's own reader where it has one, else ours, which is loaded then. */
export async function openCodeReader(): Promise<ReadCode> {
  return (await openOwnReader()) ?? (await loadReader())
}

async function openOwnReader(): Promise<ReadCode | undefined> {
  try {
    const Maker = Reflect.get(globalThis, 'BarcodeDetector') as DetectorMaker | undefined
    if (!(await Maker?.getSupportedFormats())?.includes('qr_code')) return undefined
    const detector = Maker && new Maker({ formats: ['qr_code'] })
    return detector && (async (frame) => (await detector.detect(frame))[0]?.rawValue)
  } catch {
    return undefined
  }
}

async function loadReader(): Promise<ReadCode> {
  const { decodeQR } = await import('qr/decode.js')
  return async (frame) => {
    try {
      return decodeQR(frame)
    } catch {
      return undefined
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}
