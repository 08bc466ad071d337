import { expect, test } from 'vitest'
import { createPictureGestures } from './picture-gestures.ts'
import { fitted, type Zoom } from './zoom.ts'

function start(zoom: Zoom = fitted) {
  const seen = { zoom, pulls: [] as number[], steps: [] as string[] }
  const gestures = createPictureGestures({
    readZoom: () => seen.zoom,
    readSizes: () => ({ stage: { width: 400, height: 400 }, picture: { width: 400, height: 400 } }),
    onZoom: (now) => {
      seen.zoom = now
    },
    onPull: (px) => seen.pulls.push(px),
    onStep: (direction) => seen.steps.push(direction),
  })
  const touch = (x: number, y = 0, { finger = 1, at = 0 } = {}) => ({ pointerId: finger, x, y, at })
  const press = (x: number, at: number) => {
    gestures.begin(touch(x, 0, { at }))
    gestures.end(touch(x, 0, { at: at + 20 }))
  }
  return { gestures, seen, touch, press }
}

test.each([
  [-100, ['newer']],
  [100, ['older']],
  [40, []],
])('pulling a fitting picture by %i px steps to %j', (px, steps) => {
  const { gestures, seen, touch } = start()
  gestures.begin(touch(0))
  gestures.move(touch(px))
  expect(seen.pulls).toEqual([px])
  gestures.end(touch(px))
  expect(seen.steps).toEqual(steps)
  expect(seen.pulls.at(-1)).toBe(0)
})

test('a finger that moves down more than sideways does nothing', () => {
  const { gestures, seen, touch } = start()
  gestures.begin(touch(0))
  gestures.move(touch(80, 200))
  gestures.end(touch(80, 200))
  expect(seen.steps).toEqual([])
})

test('a double tap zooms in there, and another one zooms out', () => {
  const { seen, press } = start()
  press(50, 0)
  press(52, 100)
  expect(seen.zoom.scale).toBe(2.5)
  expect(seen.zoom.x).toBeLessThan(0)
  press(50, 1_000)
  expect(seen.zoom.scale).toBe(2.5)
  press(50, 1_100)
  expect(seen.zoom).toEqual(fitted)
})

test('two taps far apart, in place or time, are no double tap', () => {
  const { seen, press } = start()
  press(0, 0)
  press(100, 100)
  press(100, 900)
  expect(seen.zoom).toEqual(fitted)
})

test('a pinch zooms in, and the movement after it is no pull to the next picture', () => {
  const { gestures, seen, touch } = start()
  gestures.begin(touch(-50))
  gestures.begin(touch(50, 0, { finger: 2 }))
  gestures.move(touch(150, 0, { finger: 2 }))
  expect(seen.zoom.scale).toBe(2)
  gestures.move(touch(-50, 0, { finger: 2 }))
  gestures.end(touch(-50, 0, { finger: 2 }))
  expect(seen.zoom).toEqual(fitted)
  gestures.move(touch(-300))
  gestures.end(touch(-300))
  expect(seen.steps).toEqual([])
})

test('one finger pans a zoomed picture, and does not step to another', () => {
  const { gestures, seen, touch } = start({ scale: 2, x: 0, y: 0 })
  gestures.begin(touch(0))
  gestures.move(touch(100, 30))
  gestures.end(touch(100, 30))
  expect(seen.zoom).toEqual({ scale: 2, x: 100, y: 30 })
  expect(seen.steps).toEqual([])
})

test('a gesture that the browser cancels does nothing', () => {
  const { gestures, seen, touch } = start()
  gestures.begin(touch(0))
  gestures.move(touch(200))
  gestures.cancel(touch(200))
  gestures.end(touch(200))
  expect(seen.steps).toEqual([])
  expect(seen.pulls.at(-1)).toBe(0)
})
