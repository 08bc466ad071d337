import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { conversationArbitrary, messageArbitrary } from './arbitraries.contract.ts'
import { areConversationsEqual, mergeConversations } from './conversation.ts'
import { areMessagesEqual, mergeMessages } from './merge-messages.ts'
import { statusRank } from './message.ts'

const kinds = [
  {
    name: 'messages',
    arbitrary: messageArbitrary,
    merge: mergeMessages,
    areEqual: areMessagesEqual,
  },
  {
    name: 'conversations',
    arbitrary: conversationArbitrary,
    merge: mergeConversations,
    areEqual: areConversationsEqual,
  },
] as const

describe.each(kinds)('P5: merging $name has no order', ({ arbitrary, merge, areEqual }) => {
  // One kind at a time: the compiler cannot tell the table's two joined types apart.
  const versions = arbitrary as fc.Arbitrary<never>
  const runs = { numRuns: 2_000 }

  test('commutative', () => {
    fc.assert(
      fc.property(versions, versions, (a, b) => {
        expect(merge(a, b)).toEqual(merge(b, a))
      }),
      runs,
    )
  })

  test('associative', () => {
    fc.assert(
      fc.property(versions, versions, versions, (a, b, c) => {
        expect(merge(merge(a, b) as never, c)).toEqual(merge(a, merge(b, c) as never))
      }),
      runs,
    )
  })

  test('idempotent', () => {
    fc.assert(
      fc.property(versions, versions, (a, b) => {
        const merged = merge(a, b) as never
        expect(areEqual(merge(merged, a) as never, merged)).toBe(true)
        expect(areEqual(merge(merged, merged) as never, merged)).toBe(true)
      }),
      runs,
    )
  })
})

describe('merging messages', () => {
  test('P5: within an attempt the status never falls, and a later attempt wins', () => {
    fc.assert(
      fc.property(messageArbitrary, messageArbitrary, (a, b) => {
        const merged = mergeMessages(a, b)
        for (const version of [a, b]) {
          expect(merged.attempt).toBeGreaterThanOrEqual(version.attempt)
          if (merged.attempt === version.attempt) {
            expect(statusRank(merged)).toBeGreaterThanOrEqual(statusRank(version))
          }
        }
      }),
    )
  })

  test('a deletion on either side blanks what was said', () => {
    fc.assert(
      fc.property(messageArbitrary, messageArbitrary, (a, b) => {
        const merged = mergeMessages({ ...a, deletedAt: 3 }, b)
        expect(merged.content).toBe('')
        expect(merged.mediaUrl).toBeUndefined()
        expect(merged.deletedAt).toBe(Math.min(3, b.deletedAt ?? 3))
      }),
    )
  })
})
