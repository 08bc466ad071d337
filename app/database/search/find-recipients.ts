import type { PublicUser } from '../../../schema/user.ts'
import type { ConversationRow } from '../views/conversation-row.ts'
import { foldText } from './fold-text.ts'

/**
 * Possible recipients: chat partners, newest first, then everyone else the device knows. Omits
 * groups, deleted accounts, and the people the sender blocks.
 * @param name - a part of the name; empty matches everyone
 */
export function findRecipients({
  rows,
  everybody,
  blocked,
  name,
}: {
  rows: readonly ConversationRow[]
  everybody: readonly PublicUser[]
  blocked: readonly string[]
  name: string
}): PublicUser[] {
  const talkedWith = rows.flatMap(({ peer }) =>
    peer && !peer.isGroup && !peer.isDeleted ? [peer] : [],
  )
  const known = new Set(talkedWith.map((person) => person._id))
  const wanted = foldText(name.trim())
  return [...talkedWith, ...everybody.filter((person) => !known.has(person._id))].filter(
    ({ _id, username }) => foldText(username).includes(wanted) && !blocked.includes(_id),
  )
}
