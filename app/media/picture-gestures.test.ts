import { expect, test } from 'vitest'
import { createPictureGestures, fitted, type Zoom } from './gallery-picture.tsx'

function start(zoom: Zoom = fitted) {
  const seen = {
    zoom,
    pulls: [] as number[],
    steps: [] as string[],
    sinks: [] as number[],
    closed: 0,
  }
  const gestures = createPictureGestures({
    readZoom: () => seen.zoom,
    readSizes: () => ({ stage: { width: 400, height: 400 }, picture: { width: 400, height: 400 } }),
    onZoom: (now) => {
      seen.zoom = now
    },
    onPull: (px) => seen.pulls.push(px),
    onSink: (px) => seen.sinks.push(px),
    onDismiss: () => {
      seen.closed += 1
    },
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

test.each([
  [200, 1],
  [60, 0],
  [-200, 0],
])(
  'a finger that moves %i px down more than sideways closes it if that is far: %i',
  (px, closed) => {
    const { gestures, seen, touch } = start()
    gestures.begin(touch(0))
    gestures.move(touch(20, px))
    gestures.end(touch(20, px))
    expect(seen.steps).toEqual([])
    expect(seen.closed).toBe(closed)
    expect(seen.sinks.at(-1)).toBe(0)
  },
)

test('a zoomed picture is moved down, not closed', () => {
  const { gestures, seen, touch } = start({ scale: 2, x: 0, y: 0 })
  gestures.begin(touch(0))
  gestures.move(touch(0, 300))
  gestures.end(touch(0, 300))
  expect(seen.closed).toBe(0)
  expect(seen.sinks).not.toContain(300)
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
