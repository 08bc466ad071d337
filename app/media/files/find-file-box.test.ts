import { expect, test } from 'vitest'
import { findFileBox } from './message-file.tsx'

const unknown = { width: 16, height: 9 }

test.each([
  ['a wide video is as wide as a bubble', { width: 640, height: 480 }, '20rem', '20 / 15'],
  ['an upright one no higher than a screen', { width: 360, height: 720 }, '11rem', '11 / 22'],
  ['a thin one keeps room for a finger', { width: 4_000, height: 10 }, '20rem', '20 / 6'],
  ['one without a size has the usual one', {}, '20rem', '20 / 11.25'],
  ['so has a message that says nothing of its file', undefined, '20rem', '20 / 11.25'],
])('%s', (_, file, width, aspectRatio) => {
  expect(findFileBox(file, unknown)).toEqual({ width, aspectRatio })
})
