import { isAnimated } from './is-animated.ts'

/** Animations and drawings stay as they are. */
const shrunkKinds = /^image\/(jpeg|png|webp)$/

/**
 * A picture as it is sent: within 800 by 600 (600 by 800 upright; decision 61, section 9), JPEG,
 * without metadata. Other files, and pictures that this browser cannot shrink, stay as they are.
 */
export async function shrinkPicture(file: File): Promise<File> {
  if (!shrunkKinds.test(file.type) || typeof OffscreenCanvas === 'undefined') return file
  // One that cannot be read is refused before it is stored.
  if (await isAnimated(file).catch(() => false)) return file
  const worker = new Worker(new URL('./shrink-picture-worker.ts', import.meta.url), {
    type: 'module',
  })
  try {
    const shrunk = await ask(worker, file)
    if (!shrunk) return file
    return new File([shrunk], `${file.name.replace(/\.[^.]*$/, '')}.jpg`, { type: shrunk.type })
  } finally {
    worker.terminate()
  }
}

function ask(worker: Worker, file: File): Promise<Blob | undefined> {
  return new Promise((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<Blob | undefined>) => resolve(data)
    worker.onerror = () => resolve(undefined)
    worker.postMessage(file)
  })
}
