import { expect, test } from 'vitest'
import { checkPicture } from './check-picture.ts'

const limit = 5 * 1024 * 1024

test.each([
  [undefined, 'Image file is required'],
  [{ type: 'image/gif', size: 1 }, 'Invalid file type. Please upload a JPEG, PNG, or WebP image.'],
  [{ type: '', size: 1 }, 'Invalid file type. Please upload a JPEG, PNG, or WebP image.'],
  [{ type: 'image/png', size: limit + 1 }, 'File size too large. Maximum size is 5MB.'],
  [{ type: 'image/jpg', size: limit }, undefined],
  [{ type: 'image/webp', size: 1 }, undefined],
])('the page answers %j with: %s', (file, words) => {
  expect(checkPicture(file, 'page')).toBe(words)
})

test.each([
  [{ type: 'text/plain', size: 1 }, 'Please select an image file'],
  [{ type: 'image/png', size: limit }, 'File size should be less than 5MB'],
  [{ type: 'image/gif', size: limit - 1 }, undefined],
])('the panel answers %j with: %s', (file, words) => {
  expect(checkPicture(file, 'panel')).toBe(words)
})
