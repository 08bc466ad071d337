import { expect, test } from 'vitest'
import { keepInvite } from './keep-invite.ts'

test.each([
  [{ returnTo: '/chat/new?to=ben', userId: undefined }, true],
  [{ returnTo: '/settings/help' }, false],
  [{ returnTo: '/chat/newest' }, false],
  [{ returnTo: 1 }, false],
  [undefined, false],
  ['/chat/new?to=ben', false],
])('of %j a registration keeps the invite: %s', (state, isKept) => {
  expect(keepInvite(state)).toBe(isKept ? state : undefined)
})
