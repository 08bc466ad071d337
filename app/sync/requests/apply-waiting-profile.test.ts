import { expect, test } from 'vitest'
import { testSession } from '../../api/test-session.ts'
import type { RequestEntry } from '../../database/storage/queued-request.ts'
import { applyWaitingProfile } from './apply-waiting-profile.ts'

const { user } = testSession

function entry(state: RequestEntry['state'], request: RequestEntry['request']): RequestEntry {
  return { _id: state, state, request, resource: 'profile', timestamp: 0 }
}

test('one sees what one has changed before the server does, and not what it refused', () => {
  const entries = [
    entry('waiting', { kind: 'profile', change: { status: 'at sea', profilePicture: null } }),
    entry('refused', { kind: 'profile', change: { username: 'Ben' } }),
    entry('waiting', { kind: 'profile', change: { status: 'ashore' } }),
    entry('waiting', { kind: 'block', userId: 'ben', blocked: true }),
  ]
  expect(applyWaitingProfile(user, entries)).toEqual({ ...user, status: 'ashore' })
  expect(applyWaitingProfile(user, [])).toBe(user)
})
