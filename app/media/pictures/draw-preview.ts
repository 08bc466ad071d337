import type { AttachedFile } from '../../../schema/attached-file.ts'
import { limits } from '../../../schema/limits.ts'

/** Enough for a blur, in pixels of the longer side. */
const previewSide = 24

/** A message's description of how its picture or video looks. */
export type SeenFile = Pick<AttachedFile, 'width' | 'height' | 'preview'>

/**
 * A blurred picture of a few hundred bytes, with the size. `width` and `height` in pixels, as
 * displayed. Without the picture while the source has none to draw.
 */
export function drawPreview(
  source: CanvasImageSource,
  { width, height }: { width: number; height: number },
): SeenFile {
  const scale = Math.min(1, previewSide / Math.max(width, height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  const context = canvas.getContext('2d')
  context?.drawImage(source, 0, 0, canvas.width, canvas.height)
  if (!context || isBlank(context)) return { width, height }
  // A browser that cannot write WebP returns a larger PNG.
  const urls = [canvas.toDataURL('image/webp', 0.6), canvas.toDataURL('image/jpeg', 0.5)]
  const preview = urls.find(
    (url) => url.length <= limits.previewMaxLength && !url.startsWith('data:image/png'),
  )
  return { width, height, ...(preview && { preview }) }
}

function isBlank(context: CanvasRenderingContext2D): boolean {
  const { width, height } = context.canvas
  const { data } = context.getImageData(0, 0, width, height)
  return !data.some((value, index) => index % 4 === 3 && value > 0)
}
