import { expect, test } from 'vitest'
import { testSession } from '../../api/testing/open-test-answers.ts'
import type { RequestEntry } from '../../database/storage/queued-request.ts'
import { applyWaitingProfile, findWaitingPicture } from './apply-waiting-profile.ts'

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

test('of a picture that waits and one that is taken away the later counts', () => {
  const [first, second] = [new Blob(['1']), new Blob(['2'])]
  const picture = (each: Blob) => entry('waiting', { kind: 'picture', picture: each })
  const removal = entry('waiting', { kind: 'profile', change: { profilePicture: null } })
  expect(findWaitingPicture([picture(first), removal, picture(second)])).toBe(second)
  expect(findWaitingPicture([picture(first), removal])).toBeNull()
  expect(findWaitingPicture([entry('refused', { kind: 'picture', picture: first })])).toBe(
    undefined,
  )
})

test('a phone number that waits is shown, and one that is taken away is not', () => {
  const set = entry('waiting', { kind: 'profile', change: { phone_number: '15550100200' } })
  expect(applyWaitingProfile(user, [set]).phone_number).toBe('15550100200')
  const taken = entry('waiting', { kind: 'profile', change: { phone_number: null } })
  expect(applyWaitingProfile(user, [set, taken])).not.toHaveProperty('phone_number')
})
