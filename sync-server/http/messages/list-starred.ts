import type { MessageDocument } from '../../../schema/message.ts'
import type { FairQueue } from '../../budget/fair-queue.ts'
import type { Digests } from '../../messages/digests/digests.ts'
import { byNewest } from '../../messages/digests/walk-stars.ts'
import { completeDigests } from './complete-digests.ts'
import type { OwnConversations } from './own-conversations.ts'
import type { OwnMessages } from './own-messages.ts'
import { createPage, type Page } from './page.ts'
import { isBefore } from './search-messages.ts'

/**
 * The newest `limit` starred messages, newest first, without cleared ones.
 * @param asked.from lists only messages before this one
 */
export async function listStarred(asked: {
  ownerId: string
  messages: OwnMessages
  conversations: OwnConversations
  digests: Digests
  scans: FairQueue
  from: MessageDocument | undefined
  limit: number
  signal: AbortSignal
}): Promise<Page> {
  const { ownerId, messages, conversations, digests, scans, from, limit, signal } = asked
  await completeDigests({ ownerId, messages, digests, signal })
  const shown = await conversations.list(ownerId)
  const clearedUpTo = new Map(shown.map((one) => [one._id, one.clearedUpTo]))
  const found = createPage({ limit, compare: byNewest })
  const stars = digests.walkStars(
    ownerId,
    (place) => place.orderedAt > (clearedUpTo.get(place.peerId) ?? 0) && isBefore(place, from),
  )
  for await (const page of scans.walk({ key: ownerId, signal }, stars)) {
    found.add(page)
    if (digests.areStarsInOrder && found.isFull()) break
  }
  return found.read()
}
