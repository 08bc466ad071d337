import { expect, test } from 'vitest'
import { countUnreadChats } from './use-unread-total.ts'

const row = {
  peerId: 'ben',
  isPinned: false,
  isArchived: false,
  isMuted: false,
  hasFailed: false,
  isComing: false,
  unreadCount: 3,
  lastMessageAt: 1,
}

test('each unread chat counts once, muted and archived ones do not count', () => {
  const others = [{ isMuted: true }, { isArchived: true }, { unreadCount: 0 }]
  expect(countUnreadChats([row, ...others.map((other) => ({ ...row, ...other }))])).toBe(1)
})
