import { limits } from '../../../schema/limits.ts'
import { type Crop, findCropBox, fitInto } from './crop-frame.ts'

/**
 * The chosen part as it is uploaded: within 800 by 600, JPEG at quality 0.8, without metadata.
 * @throws with words for a person
 */
export async function cutPicture(picture: Blob, crop: Crop): Promise<Blob> {
  const bitmap = await createImageBitmap(picture)
  try {
    const box = findCropBox(bitmap, crop)
    const size = fitInto(box, limits.pictureBox)
    const canvas = document.createElement('canvas')
    Object.assign(canvas, size)
    const context = canvas.getContext('2d')
    if (!context) throw new Error('This browser cannot change pictures.')
    // JPEG has no transparency.
    context.fillStyle = '#ffffff'
    context.fillRect(0, 0, size.width, size.height)
    context.imageSmoothingQuality = 'high'
    context.drawImage(
      bitmap,
      ...([box.left, box.top, box.width, box.height] as const),
      ...([0, 0, size.width, size.height] as const),
    )
    const cut = await new Promise<Blob | null>((resolve) =>
      canvas.toBlob(resolve, 'image/jpeg', limits.pictureBox.quality),
    )
    if (!cut) throw new Error('This browser cannot change pictures.')
    if (cut.size > limits.pictureOutputMaxBytes) {
      throw new Error('Image is too large even after compression. Please choose a smaller image.')
    }
    return cut
  } finally {
    bitmap.close()
  }
}
