import { expect, test } from 'vitest'
import { describeProgress, describeRestored, describeSaved } from './use-archive-run.ts'

test.each([
  [undefined, 'Getting ready…'],
  [{ stage: 'checking', done: 0, total: 0 }, 'Checking the file…'],
  [{ stage: 'checking', done: 2, total: 3 }, 'Checking file 3 of 3'],
  [{ stage: 'files', done: 0, total: 12 }, 'Copying file 1 of 12'],
  [{ stage: 'messages', done: 1_200, total: 5_000 }, '1,200 of 5,000 messages'],
] as const)('%j reads: %s', (progress, words) => {
  expect(describeProgress(progress)).toBe(words)
})

test('an export says what it has and what it lacks', () => {
  const saved = { zip: new Blob(['x']), name: 'a.zip', messageCount: 1, fileCount: 0 }
  expect(describeSaved({ ...saved, missingCount: 0 })).toEqual({
    has: expect.stringMatching(/^a\.zip, .*: 1 message and 0 files\.$/),
  })
  expect(describeSaved({ ...saved, missingCount: 2 }).lacks).toBe(
    "2 files are not in it, because this device doesn't have them.",
  )
})

test('an import says what it has changed', () => {
  expect(describeRestored({ messageCount: 0, conversationCount: 0, fileCount: 0 })).toMatch(
    /already/,
  )
  expect(describeRestored({ messageCount: 2_000, conversationCount: 1, fileCount: 3 })).toBe(
    '2,000 messages, 1 chat and 3 files added or brought up to date.',
  )
})
