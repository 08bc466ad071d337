import { drawPreview, type SeenFile } from './draw-preview.ts'

/**
 * A picture's displayed size, after EXIF rotation, and a blurred picture of a few hundred bytes.
 * @returns undefined if this browser cannot draw it
 */
export async function makePreview(picture: Blob): Promise<SeenFile | undefined> {
  const bitmap = await createImageBitmap(picture).catch(() => undefined)
  if (!bitmap) return undefined
  const seen = drawPreview(bitmap, bitmap)
  bitmap.close()
  return seen
}
