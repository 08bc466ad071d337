import type { PublicUser } from '../../schema/user.ts'
import type { ConversationRow } from './conversation-row.ts'

/** People one has talked with, newest first, then everybody else that the device knows. */
export function listPeopleByRecency(
  rows: readonly ConversationRow[],
  everybody: readonly PublicUser[],
): PublicUser[] {
  const talkedWith = rows.flatMap((row) => row.peer ?? [])
  const known = new Set(talkedWith.map((person) => person._id))
  return [...talkedWith, ...everybody.filter((person) => !known.has(person._id))]
}
