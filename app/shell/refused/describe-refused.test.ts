import { expect, test } from 'vitest'
import type { QueuedRequest } from '../../database/requests/queued-request.ts'
import { describeRefused, findConcerned } from './describe-refused.ts'

const file = { file: new Blob(['x']), filename: 'map.pdf' }

test.each<[QueuedRequest, string, string | undefined]>([
  [{ kind: 'profile', change: { status: 'x' } }, 'Your profile was not changed.', undefined],
  [{ kind: 'settings', settings: {} }, 'Your settings were not changed.', undefined],
  [{ kind: 'picture', picture: new Blob(['x']) }, 'Your picture was not changed.', undefined],
  [
    { kind: 'upload', ...file, message: { peerId: 'ben-id', content: '' } },
    '“map.pdf” was not sent to Ben.',
    'ben-id',
  ],
  [{ kind: 'block', userId: 'ben-id', blocked: true }, 'Ben was not blocked.', 'ben-id'],
  [{ kind: 'block', userId: 'ben-id', blocked: false }, 'Ben was not unblocked.', 'ben-id'],
  [
    { kind: 'report', userId: 'ben-id', reason: 'spam' },
    'Your report about Ben was not taken.',
    'ben-id',
  ],
  [
    { kind: 'forward', messageId: 'm', recipientIds: ['ben-id', 'carl-id'] },
    'A message was not forwarded.',
    undefined,
  ],
])('P6: what was refused is told in words: $0.kind', (request, words, concerned) => {
  expect(describeRefused(request, 'Ben')).toBe(words)
  expect(findConcerned(request)).toBe(concerned)
})
