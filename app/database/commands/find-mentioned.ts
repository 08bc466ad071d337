import { type Mention, pickMentions } from '../../../schema/helpers/mentions.ts'
import { limits } from '../../../schema/limits.ts'
import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import type { CommandContext } from '../storage/collections.ts'

/**
 * The other members of a group that a text names, as this device knows them. The text alone says it,
 * so that a draft, an edit or a pasted text needs nothing beside it.
 * @param before of an edited message: names as they were count as well
 */
export async function findMentioned(
  { userId, database }: CommandContext,
  {
    peerId,
    content,
    before = [],
  }: { peerId: string; content: string; before?: readonly Mention[] | undefined },
): Promise<Mention[]> {
  const group = database.groups.get(peerId)
  if (!group || !content.includes('@')) return []
  const others = group.members.flatMap((one) => (one.userId === userId ? [] : [one.userId]))
  const people = await database.device.people.bulkGet(others)
  const members = people.flatMap((person) =>
    person && !person.isDeleted ? [{ userId: person._id, name: person.username }] : [],
  )
  return pickMentions(content, [...before, ...members]).slice(0, limits.mentionsMax)
}

/** The message with these mentions; once the server has it, the people to notify stay as they are. */
export function withMentions(
  { mentions: _, ...message }: MessageDocument,
  found: readonly Mention[],
): MessageDocument {
  const { mentionedIds, ...rest } = message
  const kept = isAccepted(message) ? message : rest
  if (found.length === 0) return kept
  const ids = [...new Set(found.map(({ userId }) => userId))]
  return {
    ...kept,
    mentions: [...found],
    ...(!isAccepted(message) && { mentionedIds: ids }),
  }
}
