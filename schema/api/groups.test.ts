import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decideGroupChange,
  type GroupChange,
  type GroupDecision,
  type GroupDocument,
} from '../group.ts'
import { must } from '../helpers/assertions.ts'
import { groupPart, joinMembers, toGroupAnswer, toGroupPart } from './groups.ts'

const idOf = (at: number) => `0190a000-0000-7000-8000-${String(at).padStart(12, '0')}`
const [ann] = [idOf(0)]

/** Ann's group with so many others. */
function openGroup(others: number) {
  const state = { group: undefined as GroupDocument | undefined, now: 1_000 }
  const get = () => must(state.group, 'a group')
  function change(asked: GroupChange, actorId = ann): GroupDecision {
    state.now += 1
    const decision = decideGroupChange({
      groupId: idOf(9_999),
      actorId,
      stored: state.group,
      change: asked,
      isDone: false,
      seenUpTo: state.group?.lastPlace ?? 0,
      canAdd: () => true,
      now: state.now,
    })
    if (decision.kind === 'accept') state.group = decision.next
    return decision
  }
  const userIds = Array.from({ length: others }, (_, at) => idOf(at + 1))
  change({ kind: 'create', name: 'Town', description: '', userIds })
  return { get, change }
}

const change = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), at: fc.nat(120) }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat(120) }),
  fc.record({ kind: fc.constant('admin' as const), at: fc.nat(120) }),
  fc.record({ kind: fc.constant('member' as const), at: fc.nat(120) }),
  fc.record({ kind: fc.constant('owner' as const), at: fc.nat(120) }),
)

function toChange({ kind, at }: { kind: string; at: number }): GroupChange {
  const userId = idOf(at)
  if (kind === 'add') return { kind, userIds: [userId] }
  if (kind === 'remove') return { kind, userId }
  return { kind: 'role', userId, role: kind as 'admin' | 'member' | 'owner' }
}

test('P5 P14: a large group’s record with what has changed since is the record after it', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), fc.nat(60), (drawn, seen) => {
      const group = openGroup(100)
      let before = toGroupAnswer(group.get())
      drawn.forEach((one, at) => {
        // An owner who gave the group away is an admin, and the new one goes on.
        const owner = must(
          group.get().members.find(({ role }) => role === 'owner'),
          'an owner',
        )
        group.change(toChange(one), owner.userId)
        if (at === seen) before = toGroupAnswer(group.get())
      })
      const after = toGroupAnswer(group.get())
      for (const part of [toGroupPart(group.get()), toGroupPart(group.get(), before.membersAt)]) {
        if (!part) continue
        expect(groupPart.safeParse(part).success).toBe(true)
        const joined = joinMembers(before, part)
        if (joined) expect(joined).toEqual(after.members)
        else expect(before.membersAt).toBeLessThan(part.membersSince)
      }
      expect(toGroupPart(group.get(), before.membersAt)).toBeDefined()
    }),
    { numRuns: 60 },
  )
})

test('P12: a part is short, however large the group is, and says nothing to who lacks what was before', () => {
  const group = openGroup(1_000)
  const before = toGroupAnswer(group.get())
  for (let at = 1; at <= 100; at += 1) group.change({ kind: 'remove', userId: idOf(at) })
  const part = must(toGroupPart(group.get()), 'a part')
  expect(JSON.stringify(toGroupAnswer(group.get())).length).toBeGreaterThan(90_000)
  expect(JSON.stringify(part).length).toBeLessThan(5_000)
  expect(joinMembers(before, part)).toBeUndefined()
  expect(joinMembers(undefined, part)).toBeUndefined()
  // More has changed than a part holds: the whole record says it.
  expect(toGroupPart(group.get(), before.membersAt)).toBeUndefined()
  expect(toGroupPart(openGroup(20).get())).toBeUndefined()
})
