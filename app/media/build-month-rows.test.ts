import { expect, test } from 'vitest'
import { type MessageDocument, messageDocument } from '../../schema/message.ts'
import { messageKinds } from './loading/message-kinds.ts'
import { buildMonthRows } from './media-page.tsx'

const [ann, ben] = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b']
let count = 0
const write = (time: number, fields: Partial<MessageDocument> = {}) =>
  messageDocument.parse({
    _id: `01900000-0000-7000-8000-${String(++count).padStart(12, '0')}`,
    peerId: ben,
    senderId: ben,
    recipientId: ann,
    status: 'sent',
    createdAt: time,
    orderedAt: time,
    ...fields,
  })
const at = (month: number, day: number) => new Date(2026, month, day, 12).getTime()

test('lists messages under their months, the given number side by side', () => {
  const messages = [at(10, 3), at(10, 2), at(10, 1), at(9, 31)].map((time) => write(time))
  const rows = buildMonthRows(messages, { columns: 2 }).map((row) =>
    row.kind === 'month' ? row.label : row.messages.length,
  )
  expect(rows).toEqual(['November 2026', 2, 1, 'October 2026', 1])
})

test('a pending message belongs to the month in which it was written', () => {
  const waiting = write(at(10, 3), { orderedAt: at(9, 31), status: 'sending' })
  expect(buildMonthRows([waiting], { columns: 1 })[0]).toMatchObject({ label: 'November 2026' })
})

test.each<[string, Partial<MessageDocument>, string[]]>([
  ['a picture', { type: 'image', mediaUrl: '/api/media/1' }, ['media']],
  ['a video that waits', { type: 'video', file: aFile() }, ['media']],
  ['a sticker', { type: 'image', mediaUrl: '/api/media/1', isSticker: true }, []],
  ['a picture that is gone', { type: 'image' }, []],
  ['a document', { type: 'document', mediaUrl: '/api/media/1' }, ['files']],
  ['sound', { type: 'audio', mediaUrl: '/api/media/1' }, ['files']],
  ['words', { content: 'no address' }, []],
  ['an address', { content: 'see https://example.org.' }, ['links']],
  [
    'a picture with an address under it',
    { type: 'image', mediaUrl: '/api/media/1', content: 'https://example.org' },
    ['media', 'links'],
  ],
])('%s belongs where it should', (_what, fields, kinds) => {
  const message = write(1, fields)
  const found = Object.entries(messageKinds).filter(([, isOne]) => isOne(message))
  expect(found.map(([kind]) => kind)).toEqual(kinds)
})

function aFile() {
  return { name: 'a.mp4', size: 1, mimeType: 'video/mp4' }
}
