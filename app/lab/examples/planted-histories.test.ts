import { expect, test } from 'vitest'
import { findFalseAlarm, findPlanted, plantedFaults } from './planted-histories.ts'

const seedsTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

test.each(plantedFaults)(
  'notes with the fault "%s" break their invariant',
  {
    timeout: 400_000,
  },
  async (fault) => {
    const failure = await findPlanted(fault, { seeds: seedsTo(100), atOnce: 8, shrinkTries: 0 })
    expect(failure?.broken).not.toEqual([])
    expect(failure?.broken.join()).not.toMatch(/^It failed/)
    expect(failure?.steps.length).toBeGreaterThan(0)
  },
)

test('notes without a fault keep every invariant, whatever happens', {
  timeout: 400_000,
}, async () => {
  expect(await findFalseAlarm({ seeds: seedsTo(8) })).toBeUndefined()
})
