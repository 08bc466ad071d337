import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { limits } from '../../../schema/limits.ts'
import { createLongPress } from './long-press.ts'

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('navigator', {})
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const finger = { pointerType: 'touch', clientX: 0, clientY: 0 }
const longEnoughMs = limits.longPressMs + 200

/** A finger goes down, and the page is busy for longer than a long press takes. */
function pressBusyPage() {
  const onLongPress = vi.fn()
  const press = createLongPress()
  press.begin(finger, onLongPress)
  const now = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now + 2_000)
  vi.advanceTimersByTime(limits.longPressMs)
  return { press, onLongPress }
}

test('a busy page takes no finger for resting that has moved or left meanwhile', () => {
  for (const act of [
    (press: ReturnType<typeof createLongPress>) => press.move({ ...finger, clientX: 40 }),
    (press: ReturnType<typeof createLongPress>) => press.end(),
  ]) {
    const { press, onLongPress } = pressBusyPage()
    act(press)
    vi.advanceTimersByTime(longEnoughMs)
    expect(onLongPress).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  }
})

test('on a busy page, too, a finger that rests presses long, and once', () => {
  const { onLongPress } = pressBusyPage()
  vi.advanceTimersByTime(longEnoughMs)
  expect(onLongPress).toHaveBeenCalledExactlyOnceWith({ x: 0, y: 0 })
})
