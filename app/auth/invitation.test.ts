import { expect, test } from 'vitest'
import { isJoining, keepInvite, readInvitation } from './invitation.ts'

test.each([
  [{ returnTo: '/chat/new?to=ben', userId: undefined }, true],
  [{ returnTo: '/join/abc' }, true],
  [{ returnTo: '/settings/help' }, false],
  [{ returnTo: '/chat/newest' }, false],
  [{ returnTo: 1 }, false],
  [undefined, false],
  ['/chat/new?to=ben', false],
])('of %j a registration keeps the invite: %s', (state, isKept) => {
  expect(keepInvite(state)).toBe(isKept ? state : undefined)
})

test.each([
  [{ hash: '#invitation=abc', state: null }, 'abc'],
  [{ hash: '', state: { returnTo: '/chat/new?to=ben#invitation=abc' } }, 'abc'],
  [{ hash: '', state: { returnTo: '/chat/new?to=ben' } }, ''],
  [{ hash: '', state: { returnTo: '/settings/help#invitation=abc' } }, ''],
  [{ hash: '', state: undefined }, ''],
])('from %j the invitation is read: %s', (place, code) => {
  expect(readInvitation(place)).toBe(code)
})

test("a group's link is told from a person's", () => {
  expect(isJoining({ returnTo: '/join/abc' })).toBe(true)
  expect(isJoining({ returnTo: '/chat/new?to=ben' })).toBe(false)
  expect(isJoining(undefined)).toBe(false)
})
