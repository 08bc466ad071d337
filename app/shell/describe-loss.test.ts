import { expect, test } from 'vitest'
import { describeLoss, isLoss, type Loss } from './describe-loss.ts'

const cases: [Loss, string][] = [
  [
    { unsentCount: 0, draftCount: 0 },
    'Your chats will be removed from this device and return when you sign in.',
  ],
  [
    { unsentCount: 1, draftCount: 0 },
    "1 change hasn't been sent yet and would be lost. Wait until they are sent, or log out now.",
  ],
  [
    { unsentCount: 0, draftCount: 1 },
    'You have a draft in 1 chat that would be lost. Send or copy it first, or log out now.',
  ],
  [
    { unsentCount: 2, draftCount: 3 },
    "2 changes haven't been sent yet, and you have drafts in 3 chats. Both would be lost. Wait until they are sent, or log out now.",
  ],
  [
    { unsentCount: undefined, draftCount: 0 },
    "Petrel couldn't check whether everything was sent. What wasn't, and your drafts, would be lost.",
  ],
]

test.each(cases)('of %j logging out says what is lost', (loss, words) => {
  expect(describeLoss(loss)).toBe(words)
  expect(isLoss(loss)).toBe(loss.unsentCount !== 0 || loss.draftCount > 0)
})
