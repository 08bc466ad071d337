import { expect, test } from 'vitest'
import type { PublicUser } from '../../schema/user.ts'
import { ApiError } from '../api/api-error.ts'
import { createLiveValue } from '../database/views/live-value.ts'
import { findInvited } from './invited-page.tsx'
import { readSearchText } from './people-finder.tsx'

const idOf = (end: string) => `01900000-0000-7000-8000-00000000000${end}`
const person = (end: string, username: string) => ({ _id: idOf(end), username }) as PublicUser
const self = { _id: idOf('a'), username: 'Ann' }
const [ben, cyd, dora] = [person('b', 'Ben'), person('c', 'Cyd'), person('d', 'Cydney')]
const refuse = (status: number) => new ApiError({ status, code: 'x', words: 'Refused.' })

/** A device that knows Ben, and a server that knows Cyd and Cydney too. */
const directory = (failure?: ApiError) => ({
  list: () => createLiveValue<readonly PublicUser[]>([ben]),
  async load(userId: string) {
    if (failure) throw failure
    if (userId !== cyd._id) throw refuse(404)
    return cyd
  },
  async search() {
    if (failure) throw failure
    return [dora, cyd]
  },
})
const find = (to: string, failure?: ApiError) =>
  findInvited({ users: directory(failure), self, to })

test.each([
  [idOf('b'), { kind: 'found', userId: ben._id }],
  [' ben ', { kind: 'found', userId: ben._id }],
  [idOf('c'), { kind: 'found', userId: cyd._id }],
  ['CYD', { kind: 'found', userId: cyd._id }],
  ['Cy', { kind: 'unknown' }],
  [idOf('e'), { kind: 'unknown' }],
  [idOf('a'), { kind: 'yourself' }],
  ['ann', { kind: 'yourself' }],
])('an invite to %j leads to %j', async (to, invited) => {
  expect(await find(to)).toEqual(invited)
})

test('without a network the known are found, and nobody else is called unknown', async () => {
  const away = refuse(0)
  expect(await find('Ben', away)).toEqual({ kind: 'found', userId: ben._id })
  await expect(find('Cyd', away)).rejects.toBe(away)
  await expect(find(idOf('c'), away)).rejects.toBe(away)
})

test.each([
  [' +49 (170) 123-45.67', '491701234567'],
  ['12', '12'],
  ['Ann 2', 'Ann 2'],
  ['ann@example.org ', 'ann@example.org'],
])('what is typed as %j is searched as %j', (typed, text) => {
  expect(readSearchText(typed)).toBe(text)
})
