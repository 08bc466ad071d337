import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ann, ben, conversationArbitrary } from './arbitraries.contract.ts'
import { areConversationsEqual, newConversation } from './conversation.ts'
import {
  decideConversation,
  permitConversationChange,
  salvageConversation,
} from './decide-conversation.ts'

const now = 1_000
const fresh = newConversation(ben)

describe('P4: a conversation', () => {
  test('takes flags and marks, and says which messages are newly covered', () => {
    const stored = { ...fresh, readUpTo: 100, deliveredUpTo: 150, lastMessageAt: 500 }
    const proposed = { ...stored, readUpTo: 300, isPinned: true, isPinnedAt: 900 }
    expect(decideConversation({ stored, proposed, now })).toEqual({
      kind: 'accept',
      next: { ...proposed, deliveredUpTo: 300 },
      delivered: { after: 150, upTo: 300 },
      read: { after: 100, upTo: 300 },
    })
  })

  test('P8: how far the other person is, a device says only of what the server has forgotten', () => {
    const proposed = { ...fresh, peerDeliveredUpTo: 300, peerReadUpTo: 200 }
    expect(decideConversation({ stored: fresh, proposed, now })).toEqual({ kind: 'keep' })
    const lost = [{ after: 100, upTo: 299 }]
    expect(decideConversation({ stored: fresh, proposed, lost, now })).toEqual({ kind: 'keep' })
    const wider = [...lost, { after: 299, upTo: 300 }]
    const accepted = { kind: 'accept', next: proposed }
    expect(decideConversation({ stored: fresh, proposed, lost: wider, now })).toEqual(accepted)
  })

  test('P5: marks never fall', () => {
    const stored = { ...fresh, readUpTo: 300, deliveredUpTo: 300 }
    expect(decideConversation({ stored, proposed: { ...fresh, readUpTo: 200 }, now })).toEqual({
      kind: 'keep',
    })
  })

  test('a flag from a clock that runs ahead does not win for hours', () => {
    const proposed = { ...fresh, isMuted: true, isMutedAt: now + 7_200_000 }
    const ahead = permitConversationChange({ stored: fresh, proposed, now })
    expect(ahead).toMatchObject({ isMuted: true, isMutedAt: now })
    const later = { ...ahead, isMuted: false, isMutedAt: now + 60_000 }
    expect(
      permitConversationChange({ stored: ahead, proposed: later, now: now + 60_000 }).isMuted,
    ).toBe(false)
  })

  test('P6: a mark beyond the newest message is taken as far as there is anything', () => {
    const proposed = { ...fresh, readUpTo: Number.MAX_SAFE_INTEGER - 1 }
    expect(permitConversationChange({ stored: fresh, proposed, now }).readUpTo).toBe(now)
  })

  test('P6: one that does not parse keeps what can be read of it', () => {
    expect(
      salvageConversation(ben, { isPinned: true, isPinnedAt: 5, readUpTo: 'all', __proto__: 1 }),
    ).toEqual({ ...fresh, isPinned: true, isPinnedAt: 5 })
    expect(salvageConversation(ann, {})).toEqual(newConversation(ann))
  })

  test('a device that resolves against the stored version and pushes again comes to rest', () => {
    fc.assert(
      fc.property(conversationArbitrary, conversationArbitrary, (stored, local) => {
        const ahead = { ...local, isPinnedAt: local.isPinnedAt * now }
        const resolved = permitConversationChange({ stored, proposed: ahead, now })
        const decision = decideConversation({ stored, proposed: resolved, now })
        const next = decision.kind === 'keep' ? stored : decision.next
        expect(areConversationsEqual(next, resolved)).toBe(true)
      }),
    )
  })
})
