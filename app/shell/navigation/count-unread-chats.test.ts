import { expect, test } from 'vitest'
import { countUnreadChats } from './count-unread-chats.ts'

const row = {
  peerId: 'ben',
  isPinned: false,
  isArchived: false,
  isMuted: false,
  hasFailed: false,
  unreadCount: 3,
  lastMessageAt: 1,
}

test('chats with something unread count once each, muted and archived ones not at all', () => {
  const others = [{ isMuted: true }, { isArchived: true }, { unreadCount: 0 }]
  expect(countUnreadChats([row, ...others.map((other) => ({ ...row, ...other }))])).toBe(1)
})
