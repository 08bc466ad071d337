import { expect, test } from 'vitest'
import { decideFileBudget } from './file-budget.ts'

const mb = 1_000_000

test.each([
  ['a quarter of files and free space', 100 * mb, { usage: 150 * mb, quota: 1_050 * mb }, 250 * mb],
  ['two gigabytes of a large disk', 0, { usage: 0, quota: 400_000 * mb }, 2_000 * mb],
  ['a quarter of the files on a full disk', 80 * mb, { usage: 100 * mb, quota: 100 * mb }, 20 * mb],
  ['no less where more is used than granted', 8 * mb, { usage: 20 * mb, quota: 10 * mb }, 2 * mb],
  ['a plain figure where nothing is told', 8 * mb, undefined, 500 * mb],
  ['a plain figure where half is told', 8 * mb, { usage: 3 }, 500 * mb],
])('files may take %s', (_what, keptBytes, room, budget) => {
  expect(decideFileBudget({ keptBytes, room })).toBe(budget)
})

test.each([
  ['200 MB', 'little', 600 * mb, { usage: 700 * mb, quota: 9_000 * mb }, 200 * mb],
  ['1 GB', 'more', 600 * mb, { usage: 700 * mb, quota: 9_000 * mb }, 1_000 * mb],
  [
    'less than 1 GB where there is less room',
    'more',
    50 * mb,
    { usage: 0, quota: 50 * mb },
    90 * mb,
  ],
  ['nine tenths of the room', 'all', 900 * mb, { usage: 950 * mb, quota: 1_050 * mb }, 900 * mb],
  ['everything where nothing is told', 'all', 8 * mb, undefined, Number.POSITIVE_INFINITY],
] as const)('a person has files take %s', (_what, keeping, keptBytes, room, budget) => {
  expect(decideFileBudget({ keptBytes, room, keeping })).toBe(budget)
})
