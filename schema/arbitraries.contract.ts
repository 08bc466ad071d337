import fc from 'fast-check'
import { blankDeleted } from './blank-deleted.ts'
import { type ConversationDocument, conversationDocument } from './conversation.ts'
import { type MessageDocument, messageDocument, messageStatuses } from './message.ts'
import { isOptional, type RegisterName, registers } from './message-registers.ts'
import { receiptStatuses } from './peer-marks.ts'

export const ann = '0190a000-0000-7000-8000-00000000000a'
export const ben = '0190a000-0000-7000-8000-00000000000b'
const messageId = '0190a000-0000-7000-8000-0000000000ff'

/** Few distinct values, so that ties, the hard cases, come up all the time. */
const time = fc.integer({ min: 0, max: 4 })
const text = fc.constantFrom('', 'a', 'b', 'hello')
const status = fc.constantFrom(...messageStatuses)

export const refusedArbitrary = fc.record(
  { at: time, code: fc.constantFrom('deleted', 'not_author'), error: text, content: text },
  { requiredKeys: ['at', 'code', 'error'] },
)

/** One that no rule takes among them. */
const reaction = fc.oneof(
  fc.record({ emoji: fc.constantFrom('', '👍', '❤️', 'x'), at: time }),
  fc.record({ emoji: fc.constant(''), sealed: fc.constantFrom('1.e.a', '1.e.b'), at: time }),
)

/** Values of each register; its time is in the table. */
export const registerValues: Record<RegisterName, fc.Arbitrary<unknown>> = {
  statusHistory: fc.array(fc.record({ status, timestamp: time }), { maxLength: 2 }),
  content: text,
  sealed: fc.constantFrom('1.e.a', '1.e.b'),
  mentions: fc.constantFrom(
    [{ userId: ann, name: 'a' }],
    [{ userId: ben, name: 'b' }],
    [{ userId: ben, name: 'hello' }],
  ),
  isStarred: fc.boolean(),
  isHidden: fc.boolean(),
  deletedAt: time,
  refused: refusedArbitrary,
  reactions: fc.dictionary(fc.constantFrom(ann, ben), reaction),
}

const fields: Partial<Record<keyof MessageDocument, fc.Arbitrary<unknown>>> = {
  _id: fc.constant(messageId),
  peerId: fc.constantFrom(ann, ben),
  senderId: fc.constantFrom(ann, ben),
  recipientId: fc.constantFrom(ann, ben),
  type: fc.constantFrom('text', 'image'),
  createdAt: time,
  orderedAt: time,
  status,
  attempt: fc.integer({ min: 1, max: 3 }),
  replyTo: fc.constantFrom(ann, ben),
  mediaUrl: fc.constantFrom('/api/media/1', '/api/media/2'),
  file: fc.record(
    {
      name: fc.constantFrom('a', 'b'),
      size: fc.constant(1),
      mimeType: text,
      voice: fc.constant({ durationMs: 7_000, waveform: '0az' }),
    },
    { requiredKeys: ['name', 'size', 'mimeType'] },
  ),
  link: fc.constant({ url: 'https://example.org/', title: 'a page' }),
  mentionedIds: fc.constantFrom([ann], [ben]),
  error: text,
  errorCode: text,
  isWhatsApp: fc.boolean(),
  providerVersion: time,
  waState: fc.constantFrom('queued', 'accepted'),
  ...Object.fromEntries(
    registers.flatMap(({ field, fields }) =>
      fields.map((each) => [each, each === field ? registerValues[field] : time]),
    ),
  ),
}
const names = Object.keys(fields) as (keyof MessageDocument)[]

/** Versions of one message as any device or server might hold them. */
export const messageArbitrary: fc.Arbitrary<MessageDocument> = fc
  .record(fields as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: names.filter((name) => !isOptional(name)),
  })
  .map((raw) => blankDeleted(messageDocument.parse(raw)))

const receipt = fc.constantFrom(...receiptStatuses)
/** More places than are kept. */
const place = fc.integer({ min: 0, max: 40 })

export const conversationArbitrary: fc.Arbitrary<ConversationDocument> = fc
  .record(
    {
      _id: fc.constant(ben),
      isPinned: fc.boolean(),
      isPinnedAt: time,
      isArchived: fc.boolean(),
      isArchivedAt: time,
      isMuted: fc.boolean(),
      isMutedAt: time,
      mutedUntil: time,
      deliveredUpTo: time,
      readUpTo: time,
      clearedUpTo: time,
      peerDeliveredUpTo: time,
      peerReadUpTo: time,
      peerMarks: fc.array(fc.record({ status: receipt, upTo: place, at: time }), { maxLength: 60 }),
      peerSilences: fc.array(fc.record({ status: receipt, after: time, upTo: time })),
      stars: fc.dictionary(
        fc.constantFrom(ann, ben),
        fc.record({ isStarred: fc.boolean(), at: time }),
      ),
      hidden: fc.dictionary(
        fc.constantFrom(ann, ben),
        fc.record({ isHidden: fc.boolean(), at: time }),
      ),
      whatsAppAt: time,
      phone_number_id: fc.constantFrom('106', '107'),
      whatsapp_conversation_id: fc.constantFrom('wa:106:1', 'wa:107:1'),
      lastMessage: fc.record({ _id: fc.constantFrom(ann, ben), orderedAt: time }),
      lastMessageAt: time,
    },
    { requiredKeys: ['_id'] },
  )
  .map((raw) => conversationDocument.parse(raw))
