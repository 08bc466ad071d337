import { expect, test } from 'vitest'
import type { QueuedRequest } from '../../database/storage/queued-request.ts'
import { describeRefused, findConcerned } from './refused-requests.tsx'

test.each<[QueuedRequest, string, string | undefined]>([
  [{ kind: 'profile', change: { status: 'x' } }, "Your profile wasn't changed.", undefined],
  [{ kind: 'settings', settings: {} }, "Your settings weren't changed.", undefined],
  [{ kind: 'picture', picture: new Blob(['x']) }, "Your picture wasn't changed.", undefined],
  [{ kind: 'block', userId: 'ben-id', blocked: true }, "Ben wasn't blocked.", 'ben-id'],
  [{ kind: 'block', userId: 'ben-id', blocked: false }, "Ben wasn't unblocked.", 'ben-id'],
  [{ kind: 'report', userId: 'ben-id', reason: 'spam' }, "Your report wasn't sent.", 'ben-id'],
  [
    { kind: 'forward', messageId: 'm', recipientIds: ['ben-id', 'carl-id'] },
    "A message wasn't forwarded.",
    undefined,
  ],
  [
    { kind: 'group', groupId: 'walks-id', change: { kind: 'leave' } },
    "You didn't leave “Ben”.",
    'walks-id',
  ],
  [
    { kind: 'group', groupId: 'walks-id', change: { kind: 'add', userIds: ['ben-id'] } },
    'Nobody was added to “Ben”.',
    'walks-id',
  ],
  [
    { kind: 'group', groupId: 'walks-id', change: { kind: 'rename', name: 'Hikes' } },
    "“Ben” wasn't changed.",
    'walks-id',
  ],
  [{ kind: 'join', code: 'abc' }, "You didn't join the group.", undefined],
  [{ kind: 'join', code: 'abc', groupName: 'Walks' }, "You didn't join “Walks”.", undefined],
  [
    { kind: 'join-answer', groupId: 'walks-id', userId: 'ben-id', isAccepted: true },
    "Ben wasn't let into a group.",
    'ben-id',
  ],
  [
    { kind: 'join-answer', groupId: 'walks-id', userId: 'ben-id', isAccepted: false },
    "Ben wasn't declined.",
    'ben-id',
  ],
  [
    { kind: 'withdraw-link', groupId: 'walks-id', code: 'abc' },
    "The link of “Ben” wasn't withdrawn.",
    'walks-id',
  ],
])('P6: a refused request is described in words: $0.kind', (request, words, concerned) => {
  expect(describeRefused(request, 'Ben')).toBe(words)
  expect(findConcerned(request)).toBe(concerned)
})
