import { expect, test } from 'vitest'
import { messageDocument } from '../../../schema/message.ts'
import type { ConversationRow } from '../../sync/messenger-types.ts'
import { countUnreadMessages } from './count-unread-messages.ts'
import { findNews } from './notifier.ts'

const ann = '00000000-0000-7000-8000-00000000000a'
const ben = '00000000-0000-7000-8000-00000000000b'

function write(number: number, senderId: string) {
  return messageDocument.parse({
    _id: `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`,
    peerId: ben,
    senderId,
    recipientId: senderId === ann ? ben : ann,
    content: `message ${number}`,
    createdAt: number,
    orderedAt: number,
    status: 'delivered',
  })
}

function rowWith(change: Partial<ConversationRow>): ConversationRow {
  return {
    peerId: ben,
    isPinned: false,
    isArchived: false,
    isMuted: false,
    hasFailed: false,
    isComing: false,
    unreadCount: 0,
    lastMessageAt: 0,
    ...change,
  }
}

const before = [rowWith({ unreadCount: 1, lastMessage: write(1, ben) })]
const next = rowWith({ unreadCount: 2, lastMessage: write(2, ben) })

test('what became of a group is no news', () => {
  const left = { ...write(2, ben), line: { change: { kind: 'leave' }, userIds: [ben] } }
  const unread = rowWith({ unreadCount: 1, lastMessage: left })
  expect(findNews(before, [unread], ann)).toEqual([])
})

test('a new message from another person is news', () => {
  expect(findNews(before, [next], ann).map(({ message }) => message.content)).toEqual(['message 2'])
  expect(findNews([], [next], ann)).toHaveLength(1)
})

test('it is news even if its unread count arrived first', () => {
  expect(
    findNews([rowWith({ unreadCount: 2, lastMessage: write(1, ben) })], [next], ann),
  ).toHaveLength(1)
})

test.each([
  ['the same message again', rowWith({ unreadCount: 2, lastMessage: write(1, ben) })],
  ['one that was read elsewhere', { ...next, unreadCount: 0 }],
  ['one from a muted chat', { ...next, isMuted: true }],
  ['one from an archived chat', { ...next, isArchived: true }],
  ['an older one, after the newest was deleted', { ...next, lastMessage: write(0, ben) }],
  ['an own one', { ...next, lastMessage: write(2, ann) }],
  ['a deleted one', { ...next, lastMessage: { ...write(2, ben), deletedAt: 3 } }],
])('%s is not', (_, row) => {
  expect(findNews(before, [row], ann)).toEqual([])
})

test('muted and archived chats do not count', () => {
  expect(
    countUnreadMessages([next, { ...next, isMuted: true }, { ...next, isArchived: true }]),
  ).toBe(2)
})
