import { describe, expect, test } from 'vitest'
import { type ConversationDocument, newConversation } from '../../schema/conversation.ts'
import { draftConversation } from './decide-conversations.ts'

const [ann, ben] = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b']

function draft(stored: Partial<ConversationDocument>, proposed: Partial<ConversationDocument>) {
  const before = { ...newConversation(ann), ...stored }
  const raw = { ...before, ...proposed }
  const proposal = { id: ann, raw, isDeleted: false }
  return draftConversation({ readerId: ben, proposal, stored: before, now: 1_000 })
}

describe('the messages that a receipt is about begin', () => {
  test('P5: where the last delivery ended, however much lies unread below it', () => {
    const { rise } = draft({ readUpTo: 0, deliveredUpTo: 500 }, { deliveredUpTo: 501 })
    expect(rise).toEqual({
      readerId: ben,
      authorId: ann,
      after: 500,
      marks: { deliveredUpTo: 501, readUpTo: 0 },
    })
  })

  test('P5: where the last reading ended, when they are read', () => {
    const { rise } = draft({ readUpTo: 20, deliveredUpTo: 500 }, { readUpTo: 500 })
    expect(rise).toMatchObject({ after: 20, marks: { deliveredUpTo: 500, readUpTo: 500 } })
  })

  test('P5: at the lower one, when both rise at once', () => {
    const { rise } = draft(
      { readUpTo: 20, deliveredUpTo: 500 },
      { readUpTo: 600, deliveredUpTo: 600 },
    )
    expect(rise).toMatchObject({ after: 20, marks: { deliveredUpTo: 600, readUpTo: 600 } })
  })

  test('P5: nowhere, when no mark rises', () => {
    expect(draft({ deliveredUpTo: 500 }, { deliveredUpTo: 400 }).rise).toBeUndefined()
  })
})
