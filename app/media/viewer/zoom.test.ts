import { expect, test } from 'vitest'
import { fitted, largest, panBy, zoomAt } from './zoom.ts'

const sizes = { stage: { width: 400, height: 400 }, picture: { width: 400, height: 200 } }

test('what lies under the finger stays there', () => {
  const at = { x: 100, y: 0 }
  const zoom = zoomAt(fitted, { factor: 2, at, sizes })
  expect(zoom).toEqual({ scale: 2, x: -100, y: 0 })
})

test('it is never smaller than it fits, nor larger than six times that', () => {
  expect(zoomAt({ scale: 2, x: 50, y: 0 }, { factor: 0.1, sizes })).toEqual(fitted)
  expect(zoomAt(fitted, { factor: 100, sizes }).scale).toBe(largest)
})

test('its edges come no further than those of the stage, and what is not wider stays in the middle', () => {
  const zoom = { scale: 2, x: 0, y: 0 }
  expect(panBy(zoom, { x: 1_000, y: 1_000 }, sizes)).toEqual({ scale: 2, x: 200, y: 0 })
  expect(panBy(zoom, { x: -1_000, y: 0 }, sizes)).toEqual({ scale: 2, x: -200, y: 0 })
})
