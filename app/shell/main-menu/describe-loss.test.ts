import { expect, test } from 'vitest'
import { describeLoss, isLoss, type Loss, nameLoss } from './sign-out-dialog.tsx'

const none = { recordingCount: 0, sharedCount: 0 }

const cases: [Loss, string][] = [
  [
    { unsentCount: 0, draftCount: 0, ...none },
    'Your chats will be removed from this device and return when you sign in.',
  ],
  [
    { unsentCount: 1, draftCount: 0, ...none },
    "1 change hasn't been sent yet and would be lost. Wait until it is sent, or log out now.",
  ],
  [
    { unsentCount: 0, draftCount: 1, ...none },
    'You have a draft in 1 chat that would be lost. Send or copy it first, or log out now.',
  ],
  [
    { unsentCount: 2, draftCount: 3, ...none },
    "2 changes haven't been sent yet, and you have drafts in 3 chats. Both would be lost. Wait until they are sent, or log out now.",
  ],
  [
    { unsentCount: 0, draftCount: 0, ...none, sharedCount: 1 },
    'You have 1 unsent share that would be lost. Send it first, or log out now.',
  ],
  [
    { unsentCount: 0, draftCount: 1, ...none, sharedCount: 2 },
    'You have a draft in 1 chat and 2 unsent shares that would be lost. Send or copy them first, or log out now.',
  ],
  [
    { unsentCount: 1, draftCount: 1, ...none, sharedCount: 1 },
    "1 change hasn't been sent yet, and you have a draft in 1 chat and 1 unsent share. All of it would be lost. Wait until it is sent, or log out now.",
  ],
  [
    { unsentCount: 0, draftCount: 0, ...none, recordingCount: 1 },
    'You have 1 unsent voice message that would be lost. Send it first, or log out now.',
  ],
  [
    { unsentCount: 0, draftCount: 1, recordingCount: 2, sharedCount: 1 },
    'You have a draft in 1 chat, 2 unsent voice messages and 1 unsent share that would be lost. Send or copy them first, or log out now.',
  ],
  [
    { unsentCount: undefined, draftCount: 0, ...none },
    "Petrel couldn't check whether everything was sent. What wasn't, and your drafts, would be lost.",
  ],
]

test.each(cases)('of %j logging out says what is lost', (loss, words) => {
  expect(describeLoss(loss)).toBe(words)
  expect(isLoss(loss)).toBe(!words.startsWith('Your chats'))
})

test.each([
  [{ unsentCount: 0, draftCount: 0, ...none }, 'Log out'],
  [{ unsentCount: 1, draftCount: 0, ...none }, 'Log out and lose it'],
  [{ unsentCount: 0, draftCount: 1, ...none }, 'Log out and lose it'],
  [{ unsentCount: 2, draftCount: 0, ...none }, 'Log out and lose them'],
  [{ unsentCount: 1, draftCount: 1, ...none }, 'Log out and lose them'],
  [{ unsentCount: undefined, draftCount: 0, ...none }, 'Log out and lose them'],
])('of %j the button says whether it loses one thing or several', (loss, words) => {
  expect(nameLoss(loss)).toBe(words)
})
