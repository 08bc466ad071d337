import { limits } from '../../../schema/limits.ts'

const pageTypes = ['image/jpeg', 'image/jpg', 'image/png', 'image/webp']

/** Two places take a picture, each with its own words. Source: decision 61, section 5. */
export type PicturePlace = 'page' | 'panel'

/** What is wrong with a chosen file, in words. Source: decision 61, section 5. */
export function checkPicture(
  file: Pick<File, 'type' | 'size'> | undefined,
  place: PicturePlace,
): string | undefined {
  if (!file) return 'Image file is required'
  if (place === 'panel') {
    if (!file.type.startsWith('image/')) return 'Please select an image file'
    if (file.size >= limits.pictureInputMaxBytes) return 'File size should be less than 5MB'
    return undefined
  }
  if (!pageTypes.includes(file.type)) {
    return 'Invalid file type. Please upload a JPEG, PNG, or WebP image.'
  }
  if (file.size > limits.pictureInputMaxBytes) {
    return 'File size too large. Maximum size is 5MB.'
  }
  return undefined
}
