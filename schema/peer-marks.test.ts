import { describe, expect, test } from 'vitest'
import { ann, ben } from './arbitraries.contract.ts'
import { newConversation } from './conversation.ts'
import { type MessageDocument, messageDocument } from './message.ts'
import {
  addSilence,
  deriveStatus,
  deriveStatusHistory,
  raisePeerMarks,
  receiptStatuses,
} from './peer-marks.ts'

const fresh = newConversation(ben)

function write(orderedAt: number, fields: Partial<MessageDocument> = {}): MessageDocument {
  return messageDocument.parse({
    _id: '0190a000-0000-7000-8000-0000000000ff',
    peerId: ben,
    senderId: ann,
    recipientId: ben,
    createdAt: 1,
    orderedAt,
    status: 'sent',
    statusHistory: [{ status: 'sent', timestamp: 10 }],
    ...fields,
  })
}

const raise = (marks: typeof fresh, deliveredUpTo: number, readUpTo: number, at: number) =>
  raisePeerMarks(marks, { deliveredUpTo, readUpTo, at, silences: [] })

describe('the status of an own message', () => {
  test('follows the marks of who received it, and its times are those of the marks', () => {
    const marks = raise(raise(fresh, 100, 0, 20), 200, 150, 30)
    const told = [90, 150, 200, 201].map((place) => deriveStatus(write(place), marks, ann))
    expect(told).toEqual(['read', 'read', 'delivered', 'sent'])
    expect(deriveStatusHistory(write(90), marks, ann)).toEqual([
      { status: 'sent', timestamp: 10 },
      { status: 'delivered', timestamp: 20 },
      { status: 'read', timestamp: 30 },
    ])
    expect(deriveStatusHistory(write(201), marks, ann)).toEqual([{ status: 'sent', timestamp: 10 }])
  })

  test('what was read has arrived, and marks never fall', () => {
    const marks = raise(fresh, 0, 50, 20)
    expect(marks).toMatchObject({ peerDeliveredUpTo: 50, peerReadUpTo: 50 })
    expect(raise(marks, 40, 30, 25)).toBe(marks)
  })

  test('does not follow the marks for what never arrived, or of whose reading nothing is told', () => {
    const silences = [
      { status: 'delivered', after: 99, upTo: 100 },
      { status: 'read', after: 99, upTo: 120 },
    ] as const
    const marks = raisePeerMarks(fresh, { deliveredUpTo: 200, readUpTo: 200, at: 20, silences })
    const told = [99, 100, 101, 120, 121].map((place) => deriveStatus(write(place), marks, ann))
    expect(told).toEqual(['read', 'sent', 'delivered', 'delivered', 'read'])
  })

  test('is its own where the copy says more, was not taken, came in, or is a provider’s', () => {
    const marks = raise(fresh, 100, 100, 20)
    expect(deriveStatus(write(50, { status: 'failed' }), marks, ann)).toBe('failed')
    expect(deriveStatus(write(50, { status: 'sending' }), marks, ann)).toBe('sending')
    expect(deriveStatus(write(50, { isWhatsApp: true }), marks, ann)).toBe('sent')
    const incoming = write(50, { senderId: ben, recipientId: ann, status: 'delivered' })
    expect(deriveStatus(incoming, marks, ann)).toBe('delivered')
    expect(deriveStatus(write(150, { status: 'read' }), marks, ann)).toBe('read')
    expect(deriveStatus(write(50), undefined, ann)).toBe('sent')
  })
})

test('the log of times stays short, and of equal places the earlier time counts', () => {
  let marks = fresh
  for (let place = 1; place <= 100; place += 1) marks = raise(marks, place, 0, place * 10)
  expect(marks.peerMarks).toHaveLength(20)
  expect(deriveStatusHistory(write(95), marks, ann).at(-1)).toEqual({
    status: 'delivered',
    timestamp: 950,
  })
  // Older marks report the earliest time still known.
  expect(deriveStatusHistory(write(5), marks, ann).at(-1)).toEqual({
    status: 'delivered',
    timestamp: 810,
  })
})

test('the list of silences stays short: the oldest are told together', () => {
  let silences: ReturnType<typeof addSilence> = []
  for (let place = 1; place <= 500; place += 1) {
    silences = addSilence(silences, { status: 'read', after: place * 10, upTo: place * 10 + 1 })
  }
  expect(silences).toHaveLength(100)
  const marks = raisePeerMarks(fresh, { deliveredUpTo: 9_000, readUpTo: 9_000, at: 1, silences })
  const hidden = [11, 2_001, 5_001].map((place) => deriveStatus(write(place), marks, ann))
  expect(hidden).toEqual(['delivered', 'delivered', 'delivered'])
  expect(deriveStatus(write(4_995), marks, ann)).toBe('read')
})

test('silences become one where the least is between them: what was read long after one stays read', () => {
  let silences = addSilence([], { status: 'read', after: 9, upTo: 10 })
  for (let place = 1_000_000; place < 1_000_100; place += 1) {
    silences = addSilence(silences, { status: 'read', after: place * 10, upTo: place * 10 + 1 })
  }
  expect(silences).toHaveLength(100)
  const upTo = 20_000_000
  const marks = raisePeerMarks(fresh, { deliveredUpTo: upTo, readUpTo: upTo, at: 1, silences })
  const told = [10, 500_000, 10_000_001, 10_000_991].map((at) =>
    deriveStatus(write(at), marks, ann),
  )
  expect(told).toEqual(['delivered', 'read', 'delivered', 'delivered'])
})

test('P12: marks that are raised with ever other silences keep a hundred of each status', () => {
  let marks = fresh
  for (let place = 10; place <= 5_000; place += 10) {
    const silences = receiptStatuses.map((status) => ({ status, after: place - 1, upTo: place }))
    marks = raisePeerMarks(marks, { deliveredUpTo: 0, readUpTo: place + 5, at: place, silences })
  }
  expect(marks.peerSilences).toHaveLength(200)
  const told = [10, 4_015, 4_020, 4_995, 5_000, 5_005].map((at) =>
    deriveStatus(write(at), marks, ann),
  )
  expect(told).toEqual(['sent', 'read', 'sent', 'read', 'sent', 'read'])
})
