import { expect, test } from 'vitest'
import { chooseFilesToTrim } from './file-budget.ts'

const files = [
  { messageId: 'newest', size: 30, usedAt: 4, isProtected: false },
  { messageId: 'starred', size: 30, usedAt: 1, isProtected: true },
  { messageId: 'old', size: 30, usedAt: 2, isProtected: false },
  { messageId: 'new', size: 30, usedAt: 3, isProtected: false },
]
const choose = (budget: number) =>
  chooseFilesToTrim(files, budget).map(({ messageId }) => messageId)

test('what was not used for longest leaves first, and no more than needed', () => {
  expect(choose(120)).toEqual([])
  expect(choose(119)).toEqual(['old'])
  expect(choose(89)).toEqual(['old', 'new'])
})

test('what is protected stays even when it alone is too much', () => {
  expect(choose(0)).toEqual(['old', 'new', 'newest'])
})
