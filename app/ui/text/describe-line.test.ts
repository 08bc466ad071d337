import { expect, test } from 'vitest'
import type { GroupChange, GroupSettings } from '../../../schema/group.ts'
import { describeLine, listNamedInLine } from './describe-line.ts'

const names: Record<string, string> = {
  ann: 'Ann',
  ben: 'Ben',
  cem: 'Cem',
  dora: 'Dora',
  eva: 'Eva',
}
const readers = (ownId: string) => ({ ownId, nameOf: (userId: string) => names[userId] ?? '?' })

const say = (
  change: GroupChange,
  {
    by = 'ann',
    to = 'eva',
    userIds = [] as string[],
    heirId = undefined as string | undefined,
  } = {},
) =>
  describeLine(
    { senderId: by, line: { change, userIds, ...(heirId !== undefined && { heirId }) } },
    readers(to),
  )

const add = (...userIds: string[]): GroupChange => ({ kind: 'add', userIds })

test.each<[GroupChange, string]>([
  [
    { kind: 'create', name: ' Walks ', description: '', userIds: ['ben'] },
    'created the group “Walks”',
  ],
  [{ kind: 'rename', name: 'Hikes' }, 'changed the name to “Hikes”'],
  [{ kind: 'describe', description: 'On Sundays' }, 'changed the description'],
  [{ kind: 'describe', description: '' }, 'removed the description'],
  [{ kind: 'picture', picture: '/api/media/a' }, 'changed the group’s picture'],
  [{ kind: 'picture', picture: null }, 'removed the group’s picture'],
  [{ kind: 'remove', userId: 'ben' }, 'removed Ben'],
  [{ kind: 'role', userId: 'ben', role: 'admin' }, 'made Ben an admin'],
  [{ kind: 'role', userId: 'ben', role: 'member' }, 'made Ben a member'],
  [{ kind: 'role', userId: 'ben', role: 'owner' }, 'made Ben the owner'],
  [{ kind: 'leave' }, 'left'],
])('%j is said of its author, and to its author', (change, deed) => {
  expect(say(change)).toBe(`Ann ${deed}`)
  expect(say(change, { to: 'ann' })).toBe(`You ${deed}`)
})

test('whoever a line is about reads "you"', () => {
  expect(say({ kind: 'remove', userId: 'ben' }, { to: 'ben' })).toBe('Ann removed you')
  expect(say({ kind: 'role', userId: 'ben', role: 'admin' }, { to: 'ben' })).toBe(
    'Ann made you an admin',
  )
})

test('those who were added are named, and of many the rest are counted', () => {
  const added = (userIds: string[], to = 'ann') => say(add(...userIds), { userIds, to })
  expect(added(['ben'])).toBe('You added Ben')
  expect(added(['ben', 'cem'])).toBe('You added Ben and Cem')
  expect(added(['ben', 'cem', 'dora'])).toBe('You added Ben, Cem and Dora')
  expect(added(['ben', 'cem', 'dora', 'eva'])).toBe('You added Ben, Cem and 2 others')
  expect(added(['ben', 'cem', 'dora', 'eva'], 'eva')).toBe('Ann added you, Ben and 2 others')
  // Whoever was in the group before is not among them.
  expect(say(add('ben', 'cem'), { userIds: ['cem'] })).toBe('Ann added Cem')
})

test('who removes themselves left, and whoever owns the group then is named', () => {
  expect(say({ kind: 'remove', userId: 'ann' })).toBe('Ann left')
  expect(say({ kind: 'leave' }, { heirId: 'ben' })).toBe('Ann left. Ben owns the group now')
  expect(say({ kind: 'leave' }, { heirId: 'eva' })).toBe('Ann left. You own the group now')
})

test('each setting has words for both of its values', () => {
  const set = (settings: Partial<GroupSettings>) => say({ kind: 'settings', settings })
  const all = [
    set({ whoWrites: 'admins' }),
    set({ whoWrites: 'all' }),
    set({ whoChanges: 'admins' }),
    set({ whoChanges: 'all' }),
    set({ showsHistory: true }),
    set({ showsHistory: false }),
  ]
  expect(new Set(all).size).toBe(6)
  expect(all[0]).toBe('Ann let only admins send messages')
  expect(set({ whoWrites: 'all', showsHistory: false })).toBe(
    'Ann let everyone in the group send messages and hid earlier messages from new members',
  )
})

test('the names that a line needs are those of everybody in it', () => {
  const line = { change: { kind: 'leave' }, userIds: ['ann'], heirId: 'ben' } as const
  expect(listNamedInLine({ senderId: 'ann', line: { ...line, userIds: ['ann'] } })).toEqual([
    'ann',
    'ann',
    'ben',
  ])
})
