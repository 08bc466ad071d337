import { expect, it } from 'vitest'
import { createTurnLines } from './few-in-a-turn.ts'

it('P12: gives one of each key in turn, however many one of them has brought', () => {
  const lines = createTurnLines<string>()
  for (const item of ['ann 1', 'ann 2', 'ann 3']) lines.add('ann', item)
  lines.add('ben', 'ben 1')
  expect([lines.next(), lines.take()]).toEqual(['ann 1', 'ann 1'])
  lines.add('ann', 'ann 4')
  lines.add('cyd', 'cyd 1')
  expect(lines.count()).toBe(5)
  const rest = Array.from({ length: 5 }, () => lines.take())
  expect(rest).toEqual(['ben 1', 'ann 2', 'cyd 1', 'ann 3', 'ann 4'])
  expect([lines.count(), lines.next(), lines.take()]).toEqual([0, undefined, undefined])
})
