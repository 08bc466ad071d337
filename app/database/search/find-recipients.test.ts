import { expect, test } from 'vitest'
import { describeDeletedUser } from '../../../schema/deleted-user.ts'
import type { KnownPerson } from '../storage/known-person.ts'
import type { ConversationRow } from '../views/conversation-row.ts'
import { findRecipients } from './find-recipients.ts'

test('chat partners come first, then the others; deleted accounts are not offered', () => {
  const [ann, ben, gone] = [name('ann'), name('ben'), { ...name('gone'), isDeleted: true as const }]
  const { peer: _, ...unread } = row(ann)
  const rows: ConversationRow[] = [row(gone), row(ben), unread]
  const everybody = [ann, ben]
  expect(findRecipients({ rows, everybody, name: '' })).toEqual([ben, ann])
  expect(findRecipients({ rows, everybody, name: ' AN' })).toEqual([ann])
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
