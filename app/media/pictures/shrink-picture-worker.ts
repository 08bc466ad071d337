import { limits } from '../../../schema/limits.ts'

/**
 * A worker, so that the page stays responsive: returns each picture shrunk, or undefined if it
 * cannot be drawn here.
 */
addEventListener('message', ({ data }: MessageEvent<Blob>) => {
  shrink(data).then(
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
  const scale = Math.min(1, widest / bitmap.width, highest / bitmap.height)
  const canvas = new OffscreenCanvas(
    Math.max(1, Math.round(bitmap.width * scale)),
    Math.max(1, Math.round(bitmap.height * scale)),
  )
  const context = canvas.getContext('2d')
  if (!context) throw new Error('There is no canvas here.')
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  return await canvas.convertToBlob({ type: 'image/jpeg', quality })
}
