import { drawPreview, type SeenFile } from './draw-preview.ts'

/**
 * The size of a picture as it is shown, turned as its camera says, and a blurred picture of a few hundred bytes.
 * @returns undefined for what this browser can't draw
 */
export async function makePreview(picture: Blob): Promise<SeenFile | undefined> {
  const bitmap = await createImageBitmap(picture).catch(() => undefined)
  if (!bitmap) return undefined
  const seen = drawPreview(bitmap, bitmap)
  bitmap.close()
  return seen
}
