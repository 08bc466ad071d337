import { expect, test } from 'vitest'
import { describeDeletedUser } from '../../../schema/user.ts'
import type { KnownPerson } from '../storage/known-peer.ts'
import type { ConversationRow } from '../views/conversation-row.ts'
import { findRecipients } from './find-recipients.ts'

test('chat partners come first, then the others; neither deleted accounts nor blocked people are offered', () => {
  const [ann, ben, gone] = [name('ann'), name('ben'), { ...name('gone'), isDeleted: true as const }]
  const { peer: _, ...unread } = row(ann)
  const rows: ConversationRow[] = [row(gone), row(ben), unread]
  const everybody = [ann, ben]
  const find = (name: string, blocked: string[] = []) =>
    findRecipients({ rows, everybody, blocked, name })
  expect(find('')).toEqual([ben, ann])
  expect(find(' AN')).toEqual([ann])
  expect(find('', ['ben'])).toEqual([ann])
})

function name(username: string): KnownPerson {
  return { ...describeDeletedUser('018f0000-0000-7000-8000-000000000000'), _id: username, username }
}

function row(peer: KnownPerson): ConversationRow {
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
