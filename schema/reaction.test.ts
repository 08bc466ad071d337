import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ann, ben, messageArbitrary } from './arbitraries.contract.ts'
import { decideMessage } from './decide-message.ts'
import { must } from './helpers/assertions.ts'
import { mergeMessages } from './merge-messages.ts'
import { type MessageDocument, messageDocument } from './message.ts'
import { copyForPeer, writePeerCopy } from './peer-copy.ts'
import { permitMessageChange } from './permit-message-change.ts'
import { isReaction, listReactions, quickReactions, react } from './reaction.ts'

const now = 1_000
const ofAnn: MessageDocument = messageDocument.parse({
  _id: '0190a000-0000-7000-8000-0000000000ff',
  peerId: ben,
  senderId: ann,
  recipientId: ben,
  content: 'hello',
  createdAt: 900,
  orderedAt: 901,
  status: 'sent',
})
const atBen = copyForPeer(ofAnn, now)

function decide(actorId: string, stored: MessageDocument, proposed: MessageDocument) {
  return decideMessage({ actorId, stored, proposed, isRecipientKnown: true, now })
}

test('the seven that are offered first are emoji, each another one', () => {
  expect(quickReactions.every(isReaction)).toBe(true)
  expect(new Set(quickReactions).size).toBe(7)
})

describe('P4: a reaction', () => {
  test.each([
    ['its author', ann, ofAnn],
    ['its reader', ben, atBen],
  ])('of %s concerns the other person too', (_who, actorId, stored) => {
    const proposed = react(stored, { userId: actorId, emoji: '👍', now })
    expect(decide(actorId, stored, proposed)).toEqual({
      kind: 'accept',
      effect: 'amend',
      next: { ...stored, reactions: { [actorId]: { emoji: '👍', at: now } } },
    })
  })

  test('of somebody else counts for nothing', () => {
    const proposed = react(atBen, { userId: ann, emoji: '👍', now })
    expect(decide(ben, atBen, proposed)).toEqual({ kind: 'keep' })
  })

  test('from a clock that runs ahead is from now', () => {
    const proposed = react(atBen, { userId: ben, emoji: '👍', now: 9_999 })
    expect(decide(ben, atBen, proposed)).toMatchObject({
      next: { reactions: { [ben]: { emoji: '👍', at: now } } },
    })
  })

  test('that is none leaves the one before, under a later time', () => {
    const stored = react(atBen, { userId: ben, emoji: '👍', now: 100 })
    const proposed = react(stored, { userId: ben, emoji: 'words', now: 200 })
    expect(decide(ben, stored, proposed)).toMatchObject({
      kind: 'refuse',
      refusal: { code: 'bad_reaction' },
      next: { reactions: { [ben]: { emoji: '👍', at: 201 } } },
    })
  })

  test('comes to no deleted message, and to none that was never sent', () => {
    for (const stored of [
      mergeMessages(ofAnn, { ...ofAnn, deletedAt: 950 }),
      { ...ofAnn, status: 'failed' as const },
    ]) {
      const proposed = react(stored, { userId: ann, emoji: '👍', now })
      expect(decide(ann, stored, proposed)).toEqual({ kind: 'keep' })
    }
  })

  test('does not come along with a new message', () => {
    const proposed = react({ ...ofAnn, status: 'sending' }, { userId: ben, emoji: '👍', now })
    const decision = decideMessage({
      actorId: ann,
      stored: undefined,
      proposed,
      isRecipientKnown: true,
      now,
    })
    expect(decision).toMatchObject({ kind: 'accept', effect: 'deliver' })
    expect(decision.kind === 'accept' && decision.next.reactions).toBeUndefined()
  })
})

test('its reader’s reaction changes nothing else in the author’s copy', () => {
  const held = { ...ofAnn, content: 'held back, since Ben has blocked Ann', editedAt: 950 }
  const accepted = react(atBen, { userId: ben, emoji: '👍', now })
  expect(writePeerCopy({ stored: held, accepted, now })).toEqual({
    kind: 'store',
    next: { ...held, reactions: { [ben]: { emoji: '👍', at: now } } },
  })
  expect(writePeerCopy({ stored: held, accepted: atBen, now })).toEqual({ kind: 'keep' })
})

test('P5: of two devices of one person the later reaction wins, whichever comes first', () => {
  const one = react(atBen, { userId: ben, emoji: '👍', now: 10 })
  const other = react(atBen, { userId: ben, emoji: '', now: 11 })
  const merged = mergeMessages(one, other)
  expect(merged).toEqual(mergeMessages(other, one))
  expect(listReactions(merged.reactions)).toEqual([])
})

test('P5: a merge never makes a reaction older than in either version', () => {
  fc.assert(
    fc.property(messageArbitrary, messageArbitrary, (a, b) => {
      const merged = mergeMessages(a, b)
      const isDeleted = merged.deletedAt !== undefined
      if (isDeleted) expect(merged.reactions).toBeUndefined()
      for (const version of isDeleted ? [] : [a, b]) {
        for (const [userId, { at }] of Object.entries(version.reactions ?? {})) {
          expect(must(merged.reactions?.[userId], userId).at).toBeGreaterThanOrEqual(at)
        }
      }
    }),
  )
})

test('P8: whatever is proposed, only the own reaction changes, and only to an emoji', () => {
  const anyStored = messageArbitrary
    .filter(({ status }) => status !== 'sending')
    .map((message) => ({ ...message, senderId: ann, recipientId: ben, peerId: ben }))
  fc.assert(
    fc.property(anyStored, messageArbitrary, (stored, proposed) => {
      const { next } = permitMessageChange({ actorId: ann, stored, proposed, now })
      if (next.deletedAt === undefined) {
        expect(next.reactions?.[ben]).toEqual(stored.reactions?.[ben])
      }
      const emoji = next.reactions?.[ann]?.emoji ?? ''
      if (emoji !== stored.reactions?.[ann]?.emoji) expect(isReaction(emoji)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('one longer than any emoji is not even read', () => {
  const long = { ...ofAnn, reactions: { [ann]: { emoji: 'x'.repeat(201), at: 1 } } }
  expect(messageDocument.safeParse(long).success).toBe(false)
})
