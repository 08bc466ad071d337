import { expect, test } from 'vitest'
import { createSwipe } from './message-list.tsx'

const at = (clientX: number, clientY = 0, pointerId = 1) => ({
  pointerId,
  pointerType: 'touch',
  clientX,
  clientY,
})

/** A finger that starts at 100, 100 and moves through these points. */
function swipe(points: ReturnType<typeof at>[], start = at(100, 100)) {
  const seen = { pulls: [] as number[], ends: [] as boolean[] }
  const { begin, move, end, cancel } = createSwipe()
  const events = {
    onPull: (px: number) => seen.pulls.push(px),
    onEnd: (isFar: boolean) => seen.ends.push(isFar),
  }
  begin(start, events)
  points.forEach(move)
  return { ...seen, begin: () => begin(at(200, 100, 2), events), end, cancel, move }
}

test('a finger that moves far to the right replies on release', () => {
  const { pulls, ends, end } = swipe([at(120, 102), at(180, 104)])
  expect(pulls).toEqual([10, expect.any(Number)])
  end()
  expect(ends).toEqual([true])
})

test('one that moves back, or that the browser cancels, does not', () => {
  const back = swipe([at(200, 100), at(110, 100)])
  back.end()
  expect(back.ends).toEqual([false])
  const taken = swipe([at(200, 100)])
  taken.cancel()
  expect(taken.ends).toEqual([false])
})

test('one that first moves up, down, diagonally or left never pulls', () => {
  for (const first of [at(100, 80), at(100, 120), at(112, 108), at(85, 100)]) {
    const { pulls, ends, end } = swipe([first, at(200, 100)])
    end()
    expect([pulls, ends]).toEqual([[], []])
  }
})

test('a swipe from the left edge belongs to the browser, and a mouse pulls nothing', () => {
  expect(swipe([at(200, 100)], at(23, 100)).pulls).toEqual([])
  expect(swipe([at(200, 100)], { ...at(100, 100), pointerType: 'mouse' }).pulls).toEqual([])
})

test('a second finger ends it', () => {
  const { ends, begin, end } = swipe([at(200, 100)])
  begin()
  end()
  expect(ends).toEqual([false])
})
