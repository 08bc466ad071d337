import { limits } from '../../../schema/limits.ts'

/**
 * A worker, so that the page stays responsive: returns each picture shrunk, or undefined if it
 * cannot be drawn here.
 */
addEventListener('message', ({ data }: MessageEvent<{ picture: Blob; isSticker: boolean }>) => {
  const made = data.isSticker ? makeSticker(data.picture) : shrink(data.picture)
  made.then(
    (shrunk) => postMessage(shrunk),
    () => postMessage(undefined),
  )
})

/**
 * Applies EXIF rotation, fills transparency with white, and drops the metadata, such as the
 * location.
 */
async function shrink(picture: Blob): Promise<Blob> {
  const bitmap = await createImageBitmap(picture)
  const { width, height, quality } = limits.pictureBox
  const [widest, highest] = bitmap.width < bitmap.height ? [height, width] : [width, height]
  const canvas = draw(bitmap, { widest, highest, background: '#ffffff' })
  return await canvas.convertToBlob({ type: 'image/jpeg', quality })
}

/** Small, and with its transparency. A browser that cannot write WebP gives a PNG, which has it too. */
async function makeSticker(picture: Blob): Promise<Blob> {
  const { side, quality } = limits.sticker
  const canvas = draw(await createImageBitmap(picture), { widest: side, highest: side })
  return await canvas.convertToBlob({ type: 'image/webp', quality })
}

function draw(
  bitmap: ImageBitmap,
  { widest, highest, background }: { widest: number; highest: number; background?: string },
): OffscreenCanvas {
  const scale = Math.min(1, widest / bitmap.width, highest / bitmap.height)
  const canvas = new OffscreenCanvas(
    Math.max(1, Math.round(bitmap.width * scale)),
    Math.max(1, Math.round(bitmap.height * scale)),
  )
  const context = canvas.getContext('2d')
  if (!context) throw new Error('There is no canvas here.')
  if (background) {
    context.fillStyle = background
    context.fillRect(0, 0, canvas.width, canvas.height)
  }
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  return canvas
}
