import { expect, test } from 'vitest'
import { mergeHits, stepHit } from './merge-hits.ts'

test('merges the hits of device and server without duplicates, newest first', () => {
  const local = [
    { _id: 'c', orderedAt: 3 },
    { _id: 'a', orderedAt: 1 },
  ]
  const remote = [
    { _id: 'b', orderedAt: 2 },
    { _id: 'a', orderedAt: 9 },
  ]
  expect(mergeHits(local, remote).map(({ _id }) => _id)).toEqual(['c', 'b', 'a'])
})

test('steps wrap at both ends', () => {
  expect([stepHit(0, 1, 3), stepHit(2, 1, 3), stepHit(0, -1, 3), stepHit(0, -1, 1)]).toEqual([
    1, 0, 2, 0,
  ])
})
