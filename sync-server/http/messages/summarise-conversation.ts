import type { ConversationStats } from '../../../schema/api/conversation-answer.ts'
import type { ConversationDocument } from '../../../schema/conversation.ts'
import { toIsoOrNull } from '../../lib/to-iso.ts'
import type { Digests } from '../../messages/digests/digests.ts'
import { endOfTime } from '../../messages/digests/tallies.ts'

/** Counts a conversation's messages for its owner, above the cleared mark. */
export async function summariseConversation(options: {
  ownerId: string
  conversation: ConversationDocument
  digests: Digests
}): Promise<ConversationStats> {
  const { ownerId, conversation, digests } = options
  const { _id: peerId, clearedUpTo, readUpTo } = conversation
  const { countUpTo, findFirst, findLast } = digests.tallies
  const view = { ownerId, peerId }
  const markedUpTo = Math.max(clearedUpTo, readUpTo)
  const cleared = await countUpTo(view, clearedUpTo)
  const marked = await countUpTo(view, markedUpTo)
  const all = await countUpTo(view, endOfTime)
  const deletions = await digests.listDeletions({ ...view, after: clearedUpTo })
  const unreadDeletions = deletions.filter(
    ({ senderId, orderedAt }) => senderId === peerId && orderedAt > markedUpTo,
  )
  const first = await findFirst(view, clearedUpTo)
  const last = await findLast(view, clearedUpTo)
  const [sent, received] = [all.sent - cleared.sent, all.received - cleared.received]
  return {
    total: sent + received,
    sent,
    received,
    unread: all.received - marked.received - unreadDeletions.length,
    starred: await countStars(),
    media: all.files - cleared.files - deletions.filter(({ hasFile }) => hasFile).length,
    firstMessageAt: toIsoOrNull(first?.orderedAt ?? 0),
    lastMessageAt: toIsoOrNull(last?.orderedAt ?? 0),
  }

  async function countStars(): Promise<number> {
    let count = 0
    const isOfThis = (star: { peerId: string; orderedAt: number }) =>
      star.peerId === peerId && star.orderedAt > clearedUpTo
    for await (const page of digests.walkStars(ownerId, isOfThis)) count += page.length
    return count
  }
}
