import { drawPreview, type SeenFile } from './draw-preview.ts'

/** The limit for decoding: a phone that saves power may never decode a frame. */
const patienceMs = 5_000
const frameDueWithinMs = 1_000
const lookAgainMs = 50

/**
 * A video's displayed size, and its first frame as a blurred picture of a few hundred bytes;
 * without the picture if this browser decodes no frame.
 * @returns undefined if this browser cannot read it
 */
export async function makeVideoPreview(video: Blob): Promise<SeenFile | undefined> {
  const element = document.createElement('video')
  const url = URL.createObjectURL(video)
  Object.assign(element, { muted: true, playsInline: true, preload: 'auto' })
  try {
    // Safari decodes no frame before a seek.
    const isDecoded = await load(element, `${url}#t=0.001`)
    const { videoWidth: width, videoHeight: height } = element
    if (width === 0 || height === 0) return undefined
    if (!isDecoded) return { width, height }
    const begunAt = performance.now()
    for (;;) {
      const seen = drawPreview(element, { width, height })
      // On a busy device the first frame is there a moment after the browser said so.
      if (seen.preview !== undefined || performance.now() - begunAt > frameDueWithinMs) return seen
      await new Promise((resolve) => setTimeout(resolve, lookAgainMs))
    }
  } finally {
    element.removeAttribute('src')
    element.load()
    URL.revokeObjectURL(url)
  }
}

/** @returns whether a frame can be drawn */
function load(element: HTMLVideoElement, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), patienceMs)
    const end = (isDecoded: boolean) => {
      clearTimeout(timer)
      resolve(isDecoded)
    }
    element.onloadeddata = () => end(true)
    element.onerror = () => end(false)
    element.src = address
  })
}
