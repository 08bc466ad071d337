import { expect, test } from 'vitest'
import { testGroup } from '../database/testing/test-user.ts'
import type { ConversationRow } from '../sync/messenger-types.ts'
import { filterRows, nameEmptyList } from './filter-rows.ts'

const row = (peerId: string, change: Partial<ConversationRow> = {}): ConversationRow => ({
  peerId,
  isPinned: false,
  isArchived: false,
  isMuted: false,
  hasFailed: false,
  isComing: false,
  unreadCount: 0,
  lastMessageAt: 0,
  ...change,
})
const rows = [
  row('plain'),
  row('pinned', { isPinned: true }),
  row('unread', { unreadCount: 2 }),
  row('group', { peer: testGroup({ _id: 'group' }) }),
  row('archived', { isArchived: true, unreadCount: 1 }),
]
const peers = (isArchived: boolean, filter: Parameters<typeof nameEmptyList>[1]) =>
  filterRows(rows, { isArchived, filter }).map((found) => found.peerId)

test('archived conversations appear only in the archived view', () => {
  expect(peers(false, 'All')).toEqual(['plain', 'pinned', 'unread', 'group'])
  expect(peers(true, 'All')).toEqual(['archived'])
})

test('each chip narrows the list', () => {
  expect(peers(false, 'Unread')).toEqual(['unread'])
  expect(peers(false, 'Favourites')).toEqual(['pinned'])
  expect(peers(false, 'Groups')).toEqual(['group'])
})

test('a kept chat stays when no longer unread, and only in its own view', () => {
  const wanted = { isArchived: false, filter: 'Unread' } as const
  const kept = (keptPeerId: string) =>
    filterRows(rows, { ...wanted, keptPeerId }).map(({ peerId }) => peerId)
  expect(kept('plain')).toEqual(['plain', 'unread'])
  expect(kept('archived')).toEqual(['unread'])
})

test('an empty list names what it lacks', () => {
  expect(nameEmptyList(true, 'All')).toBe('No archived chats')
  expect(nameEmptyList(false, 'All')).toBe('No chats available')
  expect(nameEmptyList(false, 'Unread')).toBe('No unread chats')
  expect(nameEmptyList(false, 'Favourites')).toBe('No favourite chats')
  expect(nameEmptyList(false, 'Groups')).toBe('No groups')
})
