import { expect, test } from 'vitest'
import { decideGroupChange, type GroupChange, type GroupDocument } from '../../schema/group.ts'
import { must } from '../../schema/helpers/assertions.ts'
import type { KnownGroup } from '../database/storage/known-peer.ts'
import { testGroup } from '../database/testing/test-user.ts'
import { listMemberActions, readRights, sortMembers } from './list-member-actions.ts'

const [ann, ben, cem, dora] = ['a', 'b', 'c', 'd'].map(
  (end) => `01900000-0000-7000-8000-00000000000${end}`,
) as [string, string, string, string]
const joinedAt = '2026-03-04T12:00:00.000Z'
const group = testGroup({
  members: [
    { userId: ben, role: 'member', joinedAt },
    { userId: cem, role: 'admin', joinedAt },
    { userId: ann, role: 'owner', joinedAt },
    { userId: dora, role: 'member', joinedAt },
  ],
})

/** Would the server take it? */
function isTaken(shown: KnownGroup, actorId: string, change: GroupChange): boolean {
  const stored: GroupDocument = {
    _id: shown._id,
    name: shown.name,
    description: shown.description,
    settings: shown.settings,
    members: shown.members.map(({ userId, role }) => ({
      userId,
      role,
      from: 1,
      joinedPlace: 1,
      rolePlace: 1,
      joinedAt: 1,
    })),
    former: [],
    lastPlace: 1,
    createdBy: ann,
    createdAt: 1,
  }
  const decided = decideGroupChange({
    groupId: shown._id,
    actorId,
    stored,
    change,
    isDone: false,
    seenUpTo: 1,
    canAdd: () => true,
    now: 2,
  })
  return decided.kind === 'accept'
}

test('what is offered with a member is what the server takes, and nothing else', () => {
  for (const actorId of [ann, ben, cem]) {
    for (const member of group.members) {
      if (member.userId === actorId) continue
      const { userId } = member
      const offered = listMemberActions(group, actorId, member)
      const taken = (['owner', 'admin', 'member'] as const).filter((role) =>
        isTaken(group, actorId, { kind: 'role', userId, role }),
      )
      const canRemove = isTaken(group, actorId, { kind: 'remove', userId })
      expect(offered.toSorted()).toEqual(
        ['message', ...taken, ...(canRemove ? ['remove'] : [])].toSorted(),
      )
    }
  }
})

test('the name, the settings and new members are offered where the server lets them change', () => {
  const admins = { ...group, settings: { ...group.settings, whoChanges: 'admins' as const } }
  for (const shown of [group, admins]) {
    for (const actorId of [ann, ben, cem]) {
      const rights = readRights(shown, actorId)
      const settings = { showsHistory: true }
      expect(rights.canDescribe).toBe(isTaken(shown, actorId, { kind: 'rename', name: 'Hikes' }))
      expect(rights.isAdmin).toBe(isTaken(shown, actorId, { kind: 'settings', settings }))
      expect(rights.isAdmin).toBe(isTaken(shown, actorId, { kind: 'add', userIds: ['eva'] }))
    }
  }
})

test('whoever left can change nothing', () => {
  const left = { ...group, hasLeft: true as const }
  const none = { isIn: false, isAdmin: false, isOwner: false, canDescribe: false }
  expect(readRights(left, ann)).toEqual(none)
  expect(listMemberActions(left, ann, must(left.members[0], 'a member'))).toEqual(['message'])
})

test('oneself comes first, then who has a role', () => {
  expect(sortMembers(group.members, dora).map(({ userId }) => userId)).toEqual([
    dora,
    ann,
    cem,
    ben,
  ])
})
