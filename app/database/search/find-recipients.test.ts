import { expect, test } from 'vitest'
import type { GroupRole } from '../../../schema/group.ts'
import { describeDeletedUser } from '../../../schema/user.ts'
import type { KnownPeer, KnownPerson } from '../storage/known-peer.ts'
import { testGroup } from '../testing/test-user.ts'
import type { ConversationRow } from '../views/conversation-row.ts'
import { findRecipients } from './find-recipients.ts'

const idsOf = (found: readonly { _id: string }[]) => found.map(({ _id }) => _id)

test('chat partners come first, then the others; neither deleted accounts nor blocked people are offered', () => {
  const [ann, ben, gone] = [name('ann'), name('ben'), { ...name('gone'), isDeleted: true as const }]
  const { peer: _, ...unread } = row(ann)
  const rows: ConversationRow[] = [row(gone), row(ben), unread]
  const everybody = [ann, ben]
  const find = (name: string, blocked: string[] = []) =>
    idsOf(findRecipients({ rows, everybody, blocked, name, ownId: 'ann' }))
  expect(find('')).toEqual(['ben', 'ann'])
  expect(find(' AN')).toEqual(['ann'])
  expect(find('', ['ben'])).toEqual(['ann'])
})

test('groups are offered, but for those that one has left, or in which only admins write', () => {
  const member = (role: GroupRole) => ({ userId: 'ann', role, joinedAt: '' })
  const groups = [
    testGroup({ _id: 'walks', name: 'Walks', members: [member('member')] }),
    testGroup({ _id: 'left', members: [], hasLeft: true }),
    testGroup({ _id: 'quiet', members: [member('member')], settings: quiet }),
    testGroup({ _id: 'own', name: 'Own', members: [member('admin')], settings: quiet }),
  ]
  const given = { rows: groups.map(row), everybody: [], blocked: [], ownId: 'ann' }
  expect(findRecipients({ ...given, name: '' })).toMatchObject([
    { _id: 'walks', name: 'Walks', isGroup: true },
    { _id: 'own', name: 'Own', isGroup: true },
  ])
  expect(idsOf(findRecipients({ ...given, name: 'alk' }))).toEqual(['walks'])
})

const quiet = { whoWrites: 'admins', whoChanges: 'all', showsHistory: false } as const

function name(username: string): KnownPerson {
  return { ...describeDeletedUser('018f0000-0000-7000-8000-000000000000'), _id: username, username }
}

function row(peer: KnownPeer): ConversationRow {
  return {
    peerId: peer._id,
    peer,
    isPinned: false,
    isArchived: false,
    isMuted: false,
    unreadCount: 0,
    hasFailed: false,
    isComing: false,
    lastMessageAt: 0,
  }
}
