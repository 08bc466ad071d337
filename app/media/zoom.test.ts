import { expect, test } from 'vitest'
import { fitted, largest, panBy, zoomAt } from './gallery-picture.tsx'

const sizes = { stage: { width: 400, height: 400 }, picture: { width: 400, height: 200 } }

test('the point under the finger stays there', () => {
  const at = { x: 100, y: 0 }
  const zoom = zoomAt(fitted, { factor: 2, at, sizes })
  expect(zoom).toEqual({ scale: 2, x: -100, y: 0 })
})

test('the scale stays between 1 and 6 times the fitting size', () => {
  expect(zoomAt({ scale: 2, x: 50, y: 0 }, { factor: 0.1, sizes })).toEqual(fitted)
  expect(zoomAt(fitted, { factor: 100, sizes }).scale).toBe(largest)
})

test('its edges stop at those of the stage, and a side that fits stays centred', () => {
  const zoom = { scale: 2, x: 0, y: 0 }
  expect(panBy(zoom, { x: 1_000, y: 1_000 }, sizes)).toEqual({ scale: 2, x: 200, y: 0 })
  expect(panBy(zoom, { x: -1_000, y: 0 }, sizes)).toEqual({ scale: 2, x: -200, y: 0 })
})
