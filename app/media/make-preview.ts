import type { AttachedFile } from '../../schema/attached-file.ts'
import { limits } from '../../schema/limits.ts'

/** Enough for a blur, in pixels of the longer side. */
const previewSide = 24

/**
 * The size of a picture as it is shown, turned as its camera says, and a blurred picture of a few hundred bytes.
 * @returns undefined for what this browser can't draw
 */
export async function makePreview(
  picture: Blob,
): Promise<Pick<AttachedFile, 'width' | 'height' | 'preview'> | undefined> {
  const bitmap = await createImageBitmap(picture).catch(() => undefined)
  if (!bitmap) return undefined
  const { width, height } = bitmap
  const scale = Math.min(1, previewSide / Math.max(width, height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  const context = canvas.getContext('2d')
  context?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  // A browser that writes no WebP gives a PNG, which is larger.
  const urls = [canvas.toDataURL('image/webp', 0.6), canvas.toDataURL('image/jpeg', 0.5)]
  const preview = urls.find(
    (url) => url.length <= limits.previewMaxLength && !url.startsWith('data:image/png'),
  )
  return { width, height, ...(preview && { preview }) }
}
