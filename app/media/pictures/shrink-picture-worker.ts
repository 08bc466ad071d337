import { limits } from '../../../schema/limits.ts'

/** Runs beside the page, which stays free: gives each picture back smaller, or undefined for what can't be drawn here. */
addEventListener('message', ({ data }: MessageEvent<Blob>) => {
  shrink(data).then(
    (shrunk) => postMessage(shrunk),
    () => postMessage(undefined),
  )
})

/** Turned as its camera says, on white where nothing is, and without what its camera wrote into it, such as the place. */
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
