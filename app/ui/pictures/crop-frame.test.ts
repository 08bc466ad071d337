import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dragCrop, findCropBox, fitInto, shapeCrop, wholeCrop, zoomCrop } from './crop-frame.ts'

const wide = { width: 1_600, height: 900 }

test('a square is the middle of the picture at first, and the shape of the picture all of it', () => {
  expect(findCropBox(wide, wholeCrop)).toEqual({ left: 350, top: 0, width: 900, height: 900 })
  const whole = shapeCrop(wide, wholeCrop, 'original')
  expect(findCropBox(wide, whole)).toEqual({ left: 0, top: 0, ...wide })
})

test('dragging moves the picture with the finger, as far as there is some', () => {
  const box = findCropBox(wide, dragCrop(wide, wholeCrop, { x: 0.1, y: 0.5 }))
  expect(box).toMatchObject({ left: 260, top: 0 })
  const far = dragCrop(wide, wholeCrop, { x: -9, y: 0 })
  expect(findCropBox(wide, far).left).toBe(700)
  expect(findCropBox(wide, dragCrop(wide, far, { x: 0.1, y: 0 })).left).toBe(610)
})

test('zooming keeps the middle', () => {
  const crop = zoomCrop(wide, wholeCrop, 2)
  expect(findCropBox(wide, crop)).toEqual({ left: 575, top: 225, width: 450, height: 450 })
  expect(zoomCrop(wide, crop, 99).zoom).toBe(4)
  expect(zoomCrop(wide, crop, 0).zoom).toBe(1)
})

test('whatever is done, the part stays inside the picture', () => {
  const side = fc.integer({ min: 1, max: 5_000 })
  const by = fc.double({ min: -3, max: 3, noNaN: true })
  fc.assert(
    fc.property(side, side, fc.array(fc.tuple(by, by, by)), (width, height, steps) => {
      const picture = { width, height }
      const crop = steps.reduce(
        (now, [x, y, zoom]) => zoomCrop(picture, dragCrop(picture, now, { x, y }), zoom * 2),
        wholeCrop,
      )
      const box = findCropBox(picture, crop)
      expect(Math.min(box.left, box.top)).toBeGreaterThanOrEqual(0)
      expect(box.left + box.width).toBeLessThanOrEqual(width + 1e-6)
      expect(box.top + box.height).toBeLessThanOrEqual(height + 1e-6)
    }),
  )
})

test.each([
  [
    { width: 3_000, height: 3_000 },
    { width: 600, height: 600 },
  ],
  [
    { width: 4_000, height: 1_000 },
    { width: 800, height: 200 },
  ],
  [
    { width: 40, height: 30 },
    { width: 40, height: 30 },
  ],
  [
    { width: 10_000, height: 1 },
    { width: 800, height: 1 },
  ],
])('%j is stored as %j', (part, stored) => {
  expect(fitInto(part, { width: 800, height: 600 })).toEqual(stored)
})
