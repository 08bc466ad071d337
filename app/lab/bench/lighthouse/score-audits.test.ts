import { expect, test } from 'vitest'
import { scoreAudits } from './score-audits.ts'

const weights = { contrast: 7, list: 2, label: 1 }

test('what applies and passes counts by its weight', () => {
  expect(scoreAudits({ contrast: true, list: false, label: true }, weights)).toEqual({
    points: 80,
    failed: ['list'],
  })
  expect(scoreAudits({ list: false, label: true }, weights).points).toBeCloseTo(100 / 3)
  expect(scoreAudits({}, weights).points).toBe(100)
})
