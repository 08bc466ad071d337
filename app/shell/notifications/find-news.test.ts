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

test.each([{ isMuted: true }, { isArchived: true }])(
  'of a quiet chat a mention is news, once, whatever was written after it: %o',
  (quiet) => {
    const [first, second] = [write(2, ben), write(4, ben)]
    const with1 = { ...next, ...quiet, lastMessage: write(3, ben), mentions: [first] }
    const with2 = { ...with1, lastMessage: write(5, ben), mentions: [first, second] }
    const contents = (a: ConversationRow, b: ConversationRow) =>
      findNews([a], [b], ann).map(({ message }) => message.content)
    const silent = { ...next, ...quiet, lastMessage: write(3, ben) }
    expect(contents({ ...next, ...quiet }, with1)).toEqual(['message 2'])
    // It was locked until now.
    expect(contents(silent, with1)).toEqual(['message 2'])
    expect(contents(with1, { ...with1, lastMessage: write(6, ben) })).toEqual([])
    expect(contents(with1, with2)).toEqual(['message 4'])
    // The later one was deleted.
    expect(contents(with2, with1)).toEqual([])
    expect(contents(with1, { ...with1, unreadCount: 0, mentions: [first, second] })).toEqual([])
  },
)
