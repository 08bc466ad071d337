import { expect, test } from 'vitest'
import type { KnownGroup } from '../database/storage/known-peer.ts'
import { testMessage } from '../database/testing/test-message.ts'
import { testGroup, testUser } from '../database/testing/test-user.ts'
import { findNamedAuthor } from './conversation-row.tsx'

const ben = testUser()
const ann = '01900000-0000-7000-8000-00000000000a'
const cem = '01900000-0000-7000-8000-00000000000c'
const walks: KnownGroup = testGroup({ _id: 'walks' })

test("a group's row names who wrote the newest message, unless it is one's own", () => {
  const lastMessage = testMessage(1, { peerId: cem, recipientId: cem })
  expect(findNamedAuthor({ peer: walks, lastMessage }, ann)).toBe(ben._id)
  expect(findNamedAuthor({ peer: walks, lastMessage }, ben._id)).toBeUndefined()
  expect(findNamedAuthor({ peer: walks }, ann)).toBeUndefined()
  expect(findNamedAuthor({ peer: ben, lastMessage }, ann)).toBeUndefined()
})
