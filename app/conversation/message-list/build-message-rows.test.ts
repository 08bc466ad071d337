import { describe, expect, test } from 'vitest'
import type { GroupMessageDocument } from '../../../schema/api/groups.ts'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { startOfDay } from '../../ui/format/format-times.ts'
import { buildMessageRows, findInRow, newestOf } from './build-message-rows.ts'

const ann = '00000000-0000-7000-8000-00000000000a'
const ben = '00000000-0000-7000-8000-00000000000b'
const today = startOfDay(Date.UTC(2026, 10, 21, 12))
const hourMs = 3_600_000
const options: Parameters<typeof buildMessageRows>[1] = { firstUnreadId: undefined, today }

function write(number: number, change: Partial<MessageDocument> = {}): MessageDocument {
  const senderId = change.senderId ?? ann
  return messageDocument.parse({
    _id: `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`,
    peerId: ben,
    senderId,
    recipientId: senderId === ann ? ben : ann,
    content: `message ${number}`,
    createdAt: today + number,
    orderedAt: today + number,
    status: 'sent',
    ...change,
  })
}

test('each day’s first message has a date header above it', () => {
  const times = [today - 48 * hourMs, today - 2 * hourMs, today - hourMs, today + hourMs]
  const rows = buildMessageRows(
    times.map((time, index) => write(index, { createdAt: time, orderedAt: time })),
    options,
  )
  expect(rows.map((row) => row.dayLabel)).toEqual([
    expect.stringMatching(/^\d\d\/\d\d\/\d{4}$/),
    'Yesterday',
    undefined,
    'Today',
  ])
})

test('where older messages are not loaded, the first row has no date header that would go with them', () => {
  const messages = [write(1), write(2)]
  const [first, second] = buildMessageRows(messages, { ...options, holdsOldest: false })
  expect(first).toMatchObject({ dayLabel: 'Today', isAmidDay: true })
  expect(second?.isAmidDay).toBeUndefined()
  const [oldest] = buildMessageRows(messages, { ...options, holdsOldest: true })
  expect(oldest?.isAmidDay).toBeUndefined()
})

test('consecutive messages of one author are one group', () => {
  const rows = buildMessageRows(
    [write(1), write(2), write(3, { senderId: ben }), write(4, { senderId: ben }), write(5)],
    options,
  )
  expect(rows.map((row) => row.startsGroup)).toEqual([true, false, true, false, true])
})

test("in a group the first of somebody else's messages has their name, and one's own never", () => {
  const messages = [write(1), write(2, { senderId: ben }), write(3, { senderId: ben })]
  const ofGroup = buildMessageRows(messages, { ...options, ownIdInGroup: ann })
  expect(ofGroup.map((row) => row.showsAuthor ?? false)).toEqual([false, true, false])
  const ofPerson = buildMessageRows(messages, options)
  expect(ofPerson.some((row) => row.showsAuthor)).toBe(false)
})

test('what became of a group is a row of its own, after which its author is named again', () => {
  const line: GroupMessageDocument['line'] = { change: { kind: 'leave' }, userIds: [ben] }
  const left = { ...write(2, { senderId: ben }), line }
  const rows = buildMessageRows(
    [write(1, { senderId: ben }), left, write(3, { senderId: ben }), write(4, { senderId: ben })],
    { ...options, ownIdInGroup: ann },
  )
  expect(rows.map((row) => row.line)).toEqual([undefined, line, undefined, undefined])
  expect(rows.map((row) => row.showsAuthor ?? false)).toEqual([true, false, true, false])
})

test('a pending message is under the day on which it was written, not that of its place', () => {
  const old = today - 72 * hourMs
  const rows = buildMessageRows(
    [
      write(1, { createdAt: old, orderedAt: old }),
      write(2, { createdAt: today + hourMs, orderedAt: old + 1, status: 'sending' }),
    ],
    options,
  )
  expect(rows[1]?.dayLabel).toBe('Today')
})

test('a pending message below arrivals of the next day is under that day', () => {
  const yesterday = today - 2 * hourMs
  const rows = buildMessageRows(
    [
      write(1, { senderId: ben }),
      write(2, { createdAt: yesterday, orderedAt: yesterday, status: 'sending' }),
    ],
    options,
  )
  expect(rows.map((row) => row.dayLabel)).toEqual(['Today', undefined])
})

test('a message sent a day late is under the day on which it was sent', () => {
  const [row] = buildMessageRows(
    [write(1, { createdAt: today - hourMs, orderedAt: today })],
    options,
  )
  expect(row?.dayLabel).toBe('Today')
})

test('the unread line is above the first unread message, and starts a group', () => {
  const messages = [1, 2, 3].map((number) => write(number, { senderId: ben }))
  const firstUnreadId = messages[1]?._id
  const rows = buildMessageRows(messages, { firstUnreadId, today })
  expect(rows.map((row) => row.isFirstUnread)).toEqual([false, true, false])
  expect(rows.map((row) => row.startsGroup)).toEqual([true, true, false])
})

const photo = {
  type: 'image',
  content: '',
  file: { name: 'a.jpg', size: 9, mimeType: 'image/jpeg' },
} as const

/** How many messages each row has. */
function countParts(messages: readonly MessageDocument[], given = options): number[] {
  return buildMessageRows(messages, given).map(({ album }) => album?.length ?? 1)
}

test('pictures and videos of one sending are one row, of which the last may have a caption', () => {
  const sent = [
    write(1, photo),
    write(2, { ...photo, type: 'video' }),
    write(3, { ...photo, content: 'the harbour' }),
    write(4, photo),
  ]
  expect(countParts(sent)).toEqual([3, 1])
  const [row] = buildMessageRows(sent, options)
  expect(row?.message._id).toBe(sent[0]?._id)
})

test.each<[string, Partial<MessageDocument>]>([
  ['is no picture', { type: 'document' }],
  ['is of somebody else', { senderId: ben }],
  ['came much later', { createdAt: today + 60_000 }],
  ['answers another message', { replyTo: '00000000-0000-7000-8000-000000000009' }],
  ['was deleted', { deletedAt: 1 }],
  ['was not sent', { status: 'failed' }],
  ['is a sticker', { isSticker: true }],
  ['has no file', { file: undefined }],
])('a picture begins a row of its own after one that %s', (_what, change) => {
  expect(countParts([write(1, photo), write(2, { ...photo, ...change })])).toEqual([1, 1])
})

test('the unread line parts an album', () => {
  const sent = [1, 2, 3].map((number) => write(number, { ...photo, senderId: ben }))
  expect(countParts(sent, { ...options, firstUnreadId: sent[1]?._id })).toEqual([1, 2])
})

test('a message is found in its row, and the row’s newest is known', () => {
  const sent = [write(1, photo), write(2, photo)]
  const [row] = buildMessageRows(sent, options)
  if (!row) throw new Error('There is no row.')
  expect(findInRow(row, sent[1]?._id ?? '')?._id).toBe(sent[1]?._id)
  expect(findInRow(row, 'another')).toBeUndefined()
  expect(newestOf(row)._id).toBe(sent[1]?._id)
})

test('P13: what is locked stands alone, with what helps; sealed pictures and others are no one album', () => {
  const photo = (number: number, change: object = {}) =>
    write(number, {
      type: 'image',
      content: '',
      file: { name: 'file', size: 1, mimeType: 'image/png' },
      ...change,
    })
  const sealed = { sealed: '1.epoch.box' }
  const countRows = (messages: MessageDocument[]) => buildMessageRows(messages, options).length
  expect(countRows([photo(1, sealed), photo(2, sealed)])).toBe(1)
  expect(countRows([photo(1, sealed), photo(2)])).toBe(2)
  const locked = [1, 2].map((number) => ({ ...photo(number, sealed), locked: 'key' }))
  expect(countRows(locked)).toBe(2)
})

test('a line about a changed key stands between what came before and after it', () => {
  const messages = [write(10), write(20), write(30)]
  const readChanged = (keyChanges: number[], given: Partial<typeof options> = {}) =>
    buildMessageRows(messages, { ...options, ...given, keyChanges }).map(
      ({ isKeyChangedAfter = false }) => isKeyChangedAfter,
    )
  expect(readChanged([today + 20])).toEqual([false, true, false])
  expect(readChanged([today + 12, today + 25])).toEqual([true, true, false])
  const [, , below] = buildMessageRows(messages, { ...options, keyChanges: [today + 25] })
  expect(below?.startsGroup).toBe(true)
  // Before everything that is loaded, or after it: there a window may follow.
  expect(readChanged([today + 5, today + 35])).toEqual([false, false, false])
  expect(readChanged([today + 35], { holdsNewest: true })).toEqual([false, false, true])
})

describe('P13: a line says from when on a conversation is encrypted that began in plain', () => {
  const sealed = { content: '', sealed: '1.epoch.box' }
  const plain = (count: number) => Array.from({ length: count }, (_, at) => write(at + 1))
  const whole = { isEncrypted: true, holdsOldest: true, holdsNewest: true }
  /** Behind which row. */
  const readLine = (messages: MessageDocument[], given: Partial<typeof options> = {}) =>
    buildMessageRows(messages, { ...options, ...whole, ...given }).flatMap(
      ({ isEncryptedAfter }, at) => (isEncryptedAfter ? [at] : []),
    )

  test('between the last plain message and the first sealed one', () => {
    const messages = [...plain(2), write(3, sealed), write(4, sealed)]
    expect(readLine(messages)).toEqual([1])
    expect(buildMessageRows(messages, { ...options, ...whole })[2]?.startsGroup).toBe(true)
    expect(readLine([write(1), write(2, { status: 'sending' })])).toEqual([0])
    const photo = { type: 'image', file: { name: 'a', size: 1, mimeType: 'image/png' } } as const
    const album = [write(1, { ...photo, content: '' }), write(2, { ...photo, ...sealed })]
    expect(readLine(album)).toEqual([0])
  })

  test('below everything, as soon as both sides have keys', () => {
    expect(readLine(plain(2))).toEqual([1])
    expect(readLine(plain(2), { isEncrypted: false })).toEqual([])
    expect(readLine(plain(2), { holdsNewest: false })).toEqual([])
  })

  test('nowhere where it began sealed, whatever a script wrote in between', () => {
    expect(readLine([write(1, sealed), write(2)])).toEqual([])
    expect(readLine([write(1, sealed), write(2), write(3, sealed)])).toEqual([])
    expect(readLine([write(2), write(3, sealed)], { holdsOldest: false })).toEqual([])
    expect(readLine([])).toEqual([])
  })

  test('in a long conversation without its oldest messages, too', () => {
    const messages = [...plain(20), write(21, sealed)]
    expect(readLine(messages, { holdsOldest: false })).toEqual([19])
    expect(readLine(messages.slice(1), { holdsOldest: false })).toEqual([])
  })

  test('not behind one that was deleted, or never left', () => {
    const gone = write(2, { content: '', deletedAt: today })
    const failed = write(3, { status: 'failed' })
    expect(readLine([write(1), gone, failed, write(4, sealed)])).toEqual([0])
    expect(readLine([gone, failed, write(4, sealed)])).toEqual([])
  })

  test('not behind the lines of a group: one that was sealed from its first message on says so at its beginning', () => {
    const line: GroupMessageDocument['line'] = { change: { kind: 'leave' }, userIds: [ben] }
    const left = (number: number) => ({ ...write(number, { senderId: ben }), line })
    const readThroughout = (messages: MessageDocument[], given: Partial<typeof options> = {}) =>
      buildMessageRows(messages, { ...options, ...whole, ...given }).map(
        ({ isEncryptedThroughout = false }) => isEncryptedThroughout,
      )
    const always = [left(1), left(2), write(3, sealed)]
    expect(readLine(always)).toEqual([])
    expect(readThroughout(always)).toEqual([true, false, false])
    expect(readThroughout([left(1)])).toEqual([true])
    expect(readThroughout([left(1)], { isEncrypted: false })).toEqual([false])
    expect(readThroughout([left(1)], { holdsOldest: false })).toEqual([false])
    const later = [left(1), write(2), left(3), write(4, sealed)]
    expect(readLine(later)).toEqual([1])
    expect(readThroughout(later)).toEqual([false, false, false, false])
  })
})
