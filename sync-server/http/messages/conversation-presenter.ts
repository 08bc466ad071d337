import pLimit from 'p-limit'
import type { ConversationAnswer } from '../../../schema/api/conversation-answer.ts'
import { type ConversationDocument, channelOf, isMutedAt } from '../../../schema/conversation.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import { limits } from '../../../schema/limits.ts'
import { isIncoming, type MessageDocument } from '../../../schema/message.ts'
import { toIso, toIsoOrNull } from '../../lib/to-iso.ts'
import type { OrderJournal } from '../../messages/copies/order-journal.ts'
import type { Digests } from '../../messages/digests/digests.ts'
import { endOfTime } from '../../messages/digests/tallies.ts'
import type { UserPresenter } from '../users/user-presenter.ts'
import type { GroupCalls } from './group-calls.ts'
import type { MessagePresenter } from './message-presenter.ts'
import type { OwnMessages } from './own-messages.ts'

/** Counts up to this many places singly: usually few are unread. */
const countedSingly = 50

/** Far more than any list shows of one message. */
const shownCharacters = 1_000

export type ConversationPresenter = ReturnType<typeof createConversationPresenter>

/** Counts several conversations at a time, so that one long list does not saturate the disk. */
const countedAtOnce = 8

/**
 * Builds the API's view of conversations: each with its person or group, newest message and unread
 * count.
 */
export function createConversationPresenter(options: {
  users: UserPresenter
  messagePresenter: MessagePresenter
  messages: OwnMessages
  journal: OrderJournal
  digests: Digests
  /** Undefined while there are no groups. */
  groups: GroupCalls | undefined
}) {
  const { users, messagePresenter, messages, journal, digests, groups } = options

  async function findLast(
    ownerId: string,
    { _id: peerId, clearedUpTo }: ConversationDocument,
  ): Promise<MessageDocument | undefined> {
    const last = await digests.tallies.findLast({ ownerId, peerId }, clearedUpTo)
    return last && (await messages.findStored(ownerId, last.messageId))
  }

  /** Keeps the given order. */
  async function presentAll(
    ownerId: string,
    conversations: readonly ConversationDocument[],
  ): Promise<ConversationAnswer[]> {
    const limit = pLimit(countedAtOnce)
    const ofGroups = await groups?.presentConversations(ownerId, conversations)
    const ids = conversations.flatMap(({ _id }) => (ofGroups?.has(_id) ? [] : [_id]))
    const people = await users.presentByIds(ownerId, ids)
    const parts = await limit.map(conversations, async (conversation) => {
      const group = ofGroups?.get(conversation._id)
      if (group) return { conversation, group }
      return {
        conversation,
        last: await findLast(ownerId, conversation),
        unreadCount: await countUnread({ ownerId, conversation, messages, journal, digests }),
      }
    })
    const lasts = parts.flatMap(({ last }) => last ?? [])
    const shown = await messagePresenter.presentAll(ownerId, lasts)
    const shownById = new Map(shown.map((message) => [message._id, message]))
    const now = Date.now()
    return parts.map(({ conversation, last, unreadCount = 0, group }) => {
      const { _id, isArchived, isPinned, mutedUntil } = conversation
      const isMuted = isMutedAt(conversation, now)
      const { whatsAppAt, ...ofChannel } = channelOf(conversation)
      const own = {
        _id,
        currentUserId: ownerId,
        isArchived,
        isPinned,
        isMuted,
        ...(isMuted && mutedUntil !== undefined && { mutedUntil: toIso(mutedUntil) }),
      }
      if (group) {
        const { lastPlace, ...shown } = group
        const lastMessageAt = toIsoOrNull(lastPlace)
        return { ...own, isOnline: false, lastMessageAt, isGroup: true, ...shown }
      }
      const user = people.get(_id) ?? users.presentDeparted(_id)
      return {
        ...own,
        user,
        isOnline: user.isOnline,
        lastMessage: last ? must(shownById.get(last._id), 'a message that was presented') : null,
        lastMessageAt: toIsoOrNull(last?.orderedAt ?? 0),
        unreadCount,
        isGroup: false,
        ...ofChannel,
      }
    })
  }

  return {
    async presentOne(ownerId: string, conversation: ConversationDocument) {
      await completeDigests({ ownerId, messages, digests })
      const [shown] = await presentAll(ownerId, [conversation])
      return must(shown, 'a conversation that was presented')
    },

    /** Pinned ones first, then by newest message. A cleared one returns with its next message. */
    async presentList(ownerId: string, conversations: readonly ConversationDocument[]) {
      const shown = await presentAll(ownerId, conversations)
      const cleared = new Set(
        conversations.flatMap(({ _id, clearedUpTo }) => (clearedUpTo > 0 ? [_id] : [])),
      )
      return shortenLastMessages(
        shown
          .filter(({ _id, lastMessage }) => lastMessage !== null || !cleared.has(_id))
          .sort(compareConversations),
      )
    },
  }
}

function compareConversations(a: ConversationAnswer, b: ConversationAnswer): number {
  const [aAt, bAt] = [a.lastMessageAt ?? '', b.lastMessageAt ?? '']
  return Number(b.isPinned) - Number(a.isPinned) || (aAt < bAt ? 1 : aAt > bAt ? -1 : 0)
}

/**
 * Keeps a list of conversations that fits into one answer; in a larger one, shortens the long last
 * messages. Each is there whole in its conversation.
 */
function shortenLastMessages(conversations: ConversationAnswer[]): ConversationAnswer[] {
  const bytes = conversations.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0)
  return bytes > limits.answerMaxBytes ? conversations.map(shorten) : conversations
}

function shorten(conversation: ConversationAnswer): ConversationAnswer {
  const { lastMessage } = conversation
  if (!lastMessage) return conversation
  const { sealed, ...open } = lastMessage
  // Cut, nobody could read it.
  const isLong = (sealed?.length ?? 0) > shownCharacters
  const kept = isLong ? open : lastMessage
  if (kept.content.length <= shownCharacters) return { ...conversation, lastMessage: kept }
  const content = `${kept.content.slice(0, shownCharacters)}…`
  return { ...conversation, lastMessage: { ...kept, content } }
}

/**
 * How many messages of the other person lie above the owner's read and cleared marks, without
 * deleted ones.
 */
async function countUnread(options: {
  ownerId: string
  conversation: ConversationDocument
  messages: OwnMessages
  journal: OrderJournal
  digests: Digests
}): Promise<number> {
  const { ownerId, conversation, messages, journal, digests } = options
  const { _id: peerId, readUpTo, clearedUpTo } = conversation
  const after = Math.max(readUpTo, clearedUpTo)
  const entries = await journal.listBetween({
    oneId: ownerId,
    otherId: peerId,
    after,
    upTo: endOfTime,
    limit: countedSingly + 1,
  })
  if (entries.length > countedSingly) {
    const count = await countReceived({ digests, ownerId, peerId, after })
    return Math.min(count, limits.unreadCountMax)
  }
  const ids = entries.flatMap(({ senderId, isHeld, messageId }) =>
    isIncoming({ senderId }, ownerId) && !isHeld ? [messageId] : [],
  )
  const copies = await messages.read(ownerId, ids)
  const unread = [...copies.values()].filter(
    ({ senderId, deletedAt, isHidden, orderedAt }) =>
      isIncoming({ senderId }, ownerId) &&
      deletedAt === undefined &&
      !isHidden &&
      orderedAt > after,
  )
  return unread.length
}

async function countReceived(asked: {
  digests: Digests
  ownerId: string
  peerId: string
  after: number
}): Promise<number> {
  const { digests, ownerId, peerId, after } = asked
  const view = { ownerId, peerId }
  const before = await digests.tallies.countUpTo(view, after)
  const all = await digests.tallies.countUpTo(view, endOfTime)
  const deletions = await digests.listDeletions({ ...view, after })
  const deleted = deletions.filter((one) => isIncoming(one, ownerId))
  return all.received - before.received - deleted.length
}

/** Scans a person's data from versions without digests, once. */
export async function completeDigests(asked: {
  ownerId: string
  messages: OwnMessages
  digests: Digests
  signal?: AbortSignal
}): Promise<void> {
  const { ownerId, messages, digests, signal } = asked
  const { isComplete, setComplete, record } = digests.completeness
  if (await isComplete(ownerId)) return
  for await (const page of messages.walk(ownerId, signal)) await record(ownerId, page)
  await setComplete(ownerId)
}
