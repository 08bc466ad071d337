/** The marks of an animation stand near the beginning. */
const headBytes = 64 * 1024

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
  return (await draw(file, { isSticker: false })) ?? file
}

/**
 * A sticker of a picture: within 512 by 512, its background kept.
 * @throws with words for a person if this browser cannot make one of it
 */
export async function makeSticker(file: File): Promise<File> {
  const made = typeof OffscreenCanvas !== 'undefined' && (await draw(file, { isSticker: true }))
  if (!made) throw new Error(`A sticker can't be made of “${file.name}”. Choose another picture.`)
  return made
}

async function draw(file: File, how: { isSticker: boolean }): Promise<File | undefined> {
  const worker = new Worker(new URL('./shrink-picture-worker.ts', import.meta.url), {
    type: 'module',
  })
  try {
    const made = await ask(worker, { picture: file, ...how })
    if (!made) return undefined
    const extension = made.type.replace('image/', '').replace('jpeg', 'jpg')
    return new File([made], `${file.name.replace(/\.[^.]*$/, '')}.${extension}`, {
      type: made.type,
    })
  } finally {
    worker.terminate()
  }
}

function ask(
  worker: Worker,
  asked: { picture: File; isSticker: boolean },
): Promise<Blob | undefined> {
  return new Promise((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<Blob | undefined>) => resolve(data)
    worker.onerror = () => resolve(undefined)
    worker.postMessage(asked)
  })
}

/**
 * Does a WebP or PNG move? Sources: https://developers.google.com/speed/webp/docs/riff_container and
 * https://www.w3.org/TR/png-3/#apng-frame-based-animation
 */
export async function isAnimated(picture: Blob): Promise<boolean> {
  const head = new Uint8Array(await picture.slice(0, headBytes).arrayBuffer())
  const text = new TextDecoder('latin1').decode(head)
  if (text.startsWith('WEBPVP8X', 8)) return ((head[20] ?? 0) & 0b10) !== 0
  if (!text.startsWith('PNG', 1)) return false
  const [animation, image] = [text.indexOf('acTL'), text.indexOf('IDAT')]
  return animation >= 0 && (image < 0 || animation < image)
}
