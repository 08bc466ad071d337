import { describe, expect, test } from 'vitest'
import { type ConversationDocument, newConversation } from '../../../schema/conversation.ts'
import { decideConversations } from './decide-conversations.ts'

const ann = '01900000-0000-7000-8000-00000000000a'

function decide(
  before: Partial<ConversationDocument>,
  ...proposed: Partial<ConversationDocument>[]
) {
  const stored = { ...newConversation(ann), ...before }
  const proposals = proposed.map((fields) => ({
    id: ann,
    raw: { ...stored, ...fields },
    isDeleted: false,
  }))
  return decideConversations({ proposals, stored, now: 1_000 })
}

describe('a receipt', () => {
  test('P5: is what the marks rise by', () => {
    const { rise } = decide({ readUpTo: 20, deliveredUpTo: 500 }, { readUpTo: 500 })
    expect(rise).toEqual({
      before: { deliveredUpTo: 500, readUpTo: 20 },
      upTo: { deliveredUpTo: 500, readUpTo: 500 },
    })
  })

  test('P5: is one for all that one batch says of a conversation', () => {
    const { rise, drafts, next } = decide(
      { deliveredUpTo: 500 },
      { deliveredUpTo: 501 },
      { readUpTo: 300 },
      { isPinned: true, isPinnedAt: 5 },
    )
    expect(rise?.upTo).toEqual({ deliveredUpTo: 501, readUpTo: 300 })
    expect(drafts.map(({ isTaken }) => isTaken)).toEqual([true, true, true])
    expect(next).toMatchObject({ deliveredUpTo: 501, readUpTo: 300, isPinned: true })
  })

  test('P5: is none when no mark rises', () => {
    expect(decide({ deliveredUpTo: 500 }, { deliveredUpTo: 400 }).rise).toBeUndefined()
  })

  test('P4: of the other person is the server’s to give: nobody gives it to themselves', () => {
    const told = { peerReadUpTo: 7, peerDeliveredUpTo: 7 }
    const forged = { peerReadUpTo: 900, peerDeliveredUpTo: 900 }
    const marks = [{ status: 'read', upTo: 900, at: 1 }] as const
    const { next, drafts } = decide(told, { ...forged, peerMarks: [...marks] })
    expect(next).toMatchObject({ peerReadUpTo: 7, peerMarks: [] })
    expect(drafts).toMatchObject([{ isTaken: false }])
  })
})
