import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ann, ben, messageArbitrary, registerValues } from './arbitraries.contract.ts'
import { blankDeleted } from './blank-deleted.ts'
import { decideMessage } from './decide-message.ts'
import { must, unreachable } from './helpers/assertions.ts'
import { areValuesEqual } from './helpers/equality.ts'
import { mergeMessages } from './merge-messages.ts'
import type { MessageDocument } from './message.ts'
import { isOptional, type Register, registers } from './message-registers.ts'
import { copyForAuthor, copyForPeer, writePeerCopy } from './peer-copy.ts'
import { clampTimes, permitMessageChange } from './permit-message-change.ts'

type Fields = Record<string, unknown>

const runs = { numRuns: 500 }
/** Later than every time in the generated versions. */
const changedAt = 10
const now = 20

describe.each(registers)('the register $field', (register) => {
  const { field, at, fields, by, copy, deletion, blank } = register

  test('P5: merges in any order to the same, and changes nothing beside it', () => {
    fc.assert(
      fc.property(versionsOf(register), ([a, b, c]) => {
        const merged = mergeMessages(a, b)
        expect(mergeMessages(b, a)).toEqual(merged)
        expect(mergeMessages(merged, c)).toEqual(mergeMessages(a, mergeMessages(b, c)))
        expect(mergeMessages(merged, a)).toEqual(merged)
        expect(mergeMessages(merged, merged)).toEqual(merged)
        if (merged.deletedAt === undefined) {
          expect(without(merged, fields)).toEqual(without(mergeMessages(a, a), fields))
        }
      }),
      runs,
    )
  })

  test('P5: becomes what its row says of two versions', () => {
    fc.assert(
      fc.property(versionsOf(register), ([a, b]) => expectMerged(register, a, b)),
      runs,
    )
  })

  test.each([
    { who: 'its author', actorId: ann, isAllowed: by !== 'server' },
    { who: 'its reader', actorId: ben, isAllowed: by !== 'server' && by !== 'author' },
  ])('P4: of $who is a change that is taken, and told the other, as the row says', (one) => {
    const { actorId, isAllowed } = one
    fc.assert(
      fc.property(copiesWithChange(register), ({ copies, value }) => {
        const { own: stored, others } = copies(actorId)
        const change = makeChange({ register, stored, actorId, value })
        const proposed = { ...stored, ...change }
        const decision = decideMessage({ actorId, stored, proposed, isRecipientKnown: true, now })
        if (!isAllowed) {
          expect(decision.kind).toBe(by === 'author' ? 'refuse' : 'keep')
          const { next, refusal } = permitMessageChange({ actorId, stored, proposed, now })
          expect(next[field]).toEqual(stored[field])
          expect(refusal?.code).toBe(by === 'author' ? 'not_author' : undefined)
          return
        }
        const effect = copy === 'shared' ? 'amend' : 'own'
        expect(decision).toMatchObject({ kind: 'accept', effect, next: change })
        if (decision.kind !== 'accept') return
        const written = writePeerCopy({ stored: others, accepted: decision.next, now })
        expect(written).toMatchObject(
          copy === 'shared' ? { kind: 'store', next: change } : { kind: 'keep' },
        )
      }),
      runs,
    )
  })

  test('P8: its reader changes nothing that the row gives to others, not even at the same time', () => {
    fc.assert(
      fc.property(copiesWithChange(register), fc.nat(4), ({ copies, value }, time) => {
        if (by !== 'author' && by !== 'server') return
        const { own: stored } = copies(ben)
        const changed = fields.map((each) => [each, each === at ? time : value])
        const proposed = { ...stored, ...Object.fromEntries(changed) }
        const { next } = permitMessageChange({ actorId: ben, stored, proposed, now })
        expect(next[field]).toEqual(stored[field])
      }),
      runs,
    )
  })

  test('P4: taken or refused, a device that takes over what the server has asks no more', () => {
    fc.assert(
      fc.property(copiesWithChange(register), fc.boolean(), ({ copies, value }, isEdited) => {
        const { own: stored } = copies(ben)
        const change = makeChange({ register, stored, actorId: ben, value })
        // Refused, whatever comes with it.
        const edit = isEdited ? { content: 'not mine', editedAt: changedAt } : {}
        const proposed = { ...stored, ...change, ...edit }
        const { next } = permitMessageChange({ actorId: ben, stored, proposed, now })
        const local = mergeMessages(
          next,
          permitMessageChange({
            actorId: ben,
            stored: next,
            proposed,
            now,
          }).next,
        )
        const again = { actorId: ben, stored: next, proposed: local, isRecipientKnown: true, now }
        expect(decideMessage(again).kind).toBe('keep')
      }),
      runs,
    )
  })

  test('a new copy of the other person has it only if it is shared', () => {
    fc.assert(
      fc.property(copiesWithChange(register), ({ copies }) => {
        const { own: accepted } = copies(ann)
        for (const made of [copyForPeer(accepted, now), copyForAuthor(accepted, now)]) {
          if (copy === 'shared') expect(pick(made, fields)).toEqual(pick(accepted, fields))
          else if (by === 'server') expect(made[field]).not.toEqual(accepted[field])
          else expect(pick(made, fields)).toEqual(blankOf(register))
        }
      }),
      runs,
    )
  })

  test('a deletion leaves what its row says', () => {
    fc.assert(
      fc.property(copiesWithChange(register), ({ copies, value }) => {
        const { own: stored } = copies(ann)
        const change = makeChange({ register, stored, actorId: ann, value })
        const before = { ...stored, deletedAt: changedAt, ...change }
        const left = blankDeleted(before)
        if (deletion === 'stays') expect(pick(left, fields)).toEqual(pick(before, fields))
        else expect(left[field]).toEqual(blank)
        if (deletion === 'blank') expect(pick(left, fields)).toEqual(blankOf(register))
        if (deletion === 'blankAtItsTime') expect(left[must(at, field)]).toBe(changedAt)
      }),
      runs,
    )
  })

  test('from a clock that runs ahead is from now', () => {
    fc.assert(
      fc.property(copiesWithChange(register), ({ copies, value }) => {
        const { own: stored } = copies(ann)
        const change = makeChange({ register, stored, actorId: ann, value })
        const proposed = { ...stored, ...change }
        const clamped = clampTimes(proposed, changedAt - 1)
        if (at !== undefined) expect(clamped[at]).toBe(changedAt - 1)
        if (at !== field && register.merge === 'latest') {
          expect(clamped[field]).toEqual(proposed[field])
        }
        if (register.merge === 'latestOfEach') {
          const entries = Object.values(clamped[field] as Record<string, { at: number }>)
          expect(Math.max(...entries.map((entry) => entry.at))).toBe(changedAt - 1)
        }
      }),
      runs,
    )
  })
})

/** Three versions of one message that differ in this register only. */
function versionsOf({ field, fields }: Register) {
  return fc
    .tuple(messageArbitrary, messageArbitrary, messageArbitrary)
    .map(([one, ...others]): [MessageDocument, MessageDocument, MessageDocument] => {
      const base = field === 'deletedAt' ? { ...one } : without(one, ['deletedAt'])
      const [b, c] = others.map((other) => {
        return { ...without(base, fields), ...pick(other, fields) } as MessageDocument
      })
      return [base as MessageDocument, must(b, 'a version'), must(c, 'a version')]
    })
}

/** Both copies of a message from Ann to Ben, and a value that it does not have. */
function copiesWithChange({ field }: Register) {
  return fc
    .tuple(messageArbitrary, registerValues[field])
    .map(([any, value]) => {
      const sent = { senderId: ann, recipientId: ben, peerId: ben, status: 'sent', attempt: 1 }
      const rest = without(any, ['deletedAt', 'isWhatsApp', 'error', 'errorCode'])
      // What names somebody is not empty.
      const words = field === 'mentions' ? { content: '@b' } : {}
      const written = { ...rest, ...sent, ...words } as MessageDocument
      const anns = mergeMessages(written, written)
      const bens = { ...copyForPeer(anns, now), isStarred: anns.isStarred }
      const copies = (actorId: string) =>
        actorId === ann ? { own: anns, others: bens } : { own: bens, others: anns }
      return { copies, value }
    })
    .filter(({ copies, value }) => value !== '' && !areValuesEqual(value, copies(ann).own[field]))
}

/** The register's fields after a change by this person. */
function makeChange(change: {
  register: Register
  stored: MessageDocument
  actorId: string
  value: unknown
}): Fields {
  const { register, stored, actorId, value } = change
  const { field, at, merge } = register
  switch (merge) {
    case 'latest':
      return { [field]: value, [must(at, 'the time of what changes')]: changedAt }
    case 'earliest':
      return { [field]: changedAt }
    case 'latestOfEach':
      return { [field]: { ...stored.reactions, [actorId]: { emoji: '🙏', at: changedAt } } }
    case 'latestRefusal':
      return { [field]: { ...(value as object), at: changedAt } }
    case 'union':
      return { [field]: [...stored.statusHistory, { status: 'read', timestamp: changedAt }] }
    default:
      return unreachable(merge)
  }
}

function expectMerged({ field, at, merge }: Register, a: MessageDocument, b: MessageDocument) {
  const merged = mergeMessages(a, b)
  if (merged.deletedAt !== undefined && field !== 'deletedAt') return
  switch (merge) {
    case 'latest': {
      const name = must(at, 'the time of what changes')
      const [ofA, ofB] = [a[name] ?? -1, b[name] ?? -1]
      expect(merged[name] ?? -1).toBe(Math.max(ofA, ofB))
      if (ofA !== ofB) expect(merged[field]).toEqual((ofA > ofB ? a : b)[field])
      return
    }
    case 'earliest': {
      const set = [a, b].flatMap((each) => (each[field] as number | undefined) ?? [])
      expect(merged[field]).toBe(set.length === 0 ? undefined : Math.min(...set))
      return
    }
    case 'latestOfEach': {
      for (const personId of [ann, ben]) {
        const given = [a, b].flatMap((each) => each.reactions?.[personId]?.at ?? [])
        const latest = given.length === 0 ? undefined : Math.max(...given)
        expect(merged.reactions?.[personId]?.at).toBe(latest)
      }
      return
    }
    case 'latestRefusal': {
      const given = [a, b].flatMap((each) => each.refused?.at ?? [])
      expect(merged.refused?.at).toBe(given.length === 0 ? undefined : Math.max(...given))
      return
    }
    case 'union': {
      expect(merged.statusHistory).toEqual(expect.arrayContaining([...a.statusHistory]))
      expect(merged.statusHistory).toEqual(expect.arrayContaining([...b.statusHistory]))
      return
    }
    default:
      unreachable(merge)
  }
}

function blankOf({ field, fields, blank }: Register): Fields {
  const blanks = fields.map((each) => [
    each,
    each === field ? blank : isOptional(each) ? undefined : 0,
  ])
  return Object.fromEntries(blanks.filter(([, value]) => value !== undefined))
}

function pick(message: object, fields: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(message).filter(([field]) => fields.includes(field)))
}

function without(message: object, fields: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(message).filter(([field]) => !fields.includes(field)))
}
