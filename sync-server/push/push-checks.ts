import { type PushPayload, type PushRead, pushLimits } from '../../schema/api/push.ts'
import type { ConversationDocument } from '../../schema/conversation.ts'
import { isMutedAt } from '../../schema/is-muted-at.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { isQuietTime } from '../../schema/notifications/quiet-hours.ts'
import { readSettings } from '../../schema/settings.ts'
import type { Accounts } from '../access/accounts.ts'
import type { Relations } from '../access/relations.ts'
import type { Sessions } from '../access/sessions.ts'
import type { OrderJournal } from '../messages/order/order-journal.ts'
import type { SharedFronts } from '../realtime/presence/shared-fronts.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../storage/databases/database-names.ts'
import type { Storage } from '../storage/storage.ts'
import type { PushClock } from './push-clock.ts'
import type { PushEntry } from './push-queue.ts'

/** Both people's. */
const placesMax = 50

/** What a device is sent, and the place of the newest message in it. */
export type PreparedPush = { payload: PushPayload; upTo: number } | { payload: PushRead }

/**
 * What one device is sent, asked at the last moment: a push may have waited an hour. Undefined when
 * its sign-in ended, its person looks at a device, has read the chat, muted, archived or blocked
 * it, or wants quiet now. None of the latter matters to a push that only says what was read.
 * @param listPlaces the places of two people's messages
 * @param nameContact a customer of this person's business channel; undefined for anybody else
 */
export function createPushChecks(options: {
  storage: Pick<Storage, 'database'>
  accounts: Pick<Accounts, 'find'>
  sessions: Pick<Sessions, 'isOpen'>
  relations: Pick<Relations, 'canReach'>
  fronts: Pick<SharedFronts, 'has'>
  nameContact: (ownerId: string, contactId: string) => Promise<string | undefined>
  listPlaces: OrderJournal['listBetween']
  clock: PushClock
}) {
  const { storage, accounts, sessions, relations, fronts, nameContact, listPlaces, clock } = options

  async function findConversation({ device, peerId }: PushEntry) {
    const name = nameConversationsDatabase(device.userId)
    const conversation = await storage.database<ConversationDocument>(name).read([peerId])
    return conversation.get(peerId)
  }

  /** What of these messages is left: those that were deleted or read since do not count. */
  async function findLeft({ device, messageIds, count }: PushEntry, seenUpTo: number) {
    const messages = storage.database<MessageDocument>(nameMessagesDatabase(device.userId))
    const found = [...(await messages.read(messageIds)).values()]
    const isLeft = ({ deletedAt, orderedAt }: MessageDocument) =>
      deletedAt === undefined && orderedAt > seenUpTo
    const over = new Set(found.flatMap((each) => (isLeft(each) ? [] : [each._id])))
    const ids = messageIds.filter((id) => !over.has(id))
    // Those that it counts and does not name are older.
    const isRestRead = found.some(({ orderedAt }) => orderedAt <= seenUpTo)
    return {
      newest: found.filter(isLeft).toSorted((a, b) => b.orderedAt - a.orderedAt)[0],
      messageIds: ids,
      count: isRestRead ? ids.length : count - over.size,
    }
  }

  /** The chat's other messages that have not arrived on a device; undefined when too many. */
  async function listOwed(
    { device, peerId, messageIds }: Pick<PushEntry, 'device' | 'peerId' | 'messageIds'>,
    { after, upTo }: { after: number; upTo: number },
  ) {
    const range = { oneId: device.userId, otherId: peerId, after, upTo }
    const entries = await listPlaces({ ...range, limit: placesMax })
    const owed = entries.flatMap(({ senderId, isHeld, messageId }) =>
      senderId === peerId && !isHeld && !messageIds.includes(messageId) ? [messageId] : [],
    )
    const areAll = entries.length < placesMax && owed.length <= pushLimits.messageIdsMax
    return areAll ? owed : undefined
  }

  async function nameAuthor(userId: string, peerId: string): Promise<string | undefined> {
    return (await accounts.find(peerId))?.username ?? (await nameContact(userId, peerId))
  }

  async function prepareNews(entry: PushEntry): Promise<PreparedPush | undefined> {
    const { device, peerId } = entry
    const { userId } = device
    if (entry.messageIds.length === 0 || (await fronts.has(userId))) return undefined
    const owner = await accounts.find(userId)
    if (!owner) return undefined
    const { notificationPreview, notificationSound, quietHours } = readSettings(owner.settings)
    if (isQuietTime(quietHours, clock.now())) return undefined
    if ((await relations.canReach(peerId, userId)) !== 'delivered') return undefined
    const conversation = await findConversation(entry)
    if (conversation?.isArchived) return undefined
    if (conversation && isMutedAt(conversation, clock.now())) return undefined
    const readUpTo = seenUpToOf(conversation)
    const { newest, messageIds, count } = await findLeft(entry, readUpTo)
    const name = newest && (await nameAuthor(userId, peerId))
    if (!name) return undefined
    const isPreviewHidden = notificationPreview === 'hidden'
    const text = newest.content.slice(0, pushLimits.textMaxCharacters).trim()
    const upTo = newest.orderedAt
    const arrivedUpTo = Math.max(readUpTo, conversation?.deliveredUpTo ?? 0)
    const owedIds = await listOwed({ device, peerId, messageIds }, { after: arrivedUpTo, upTo })
    const payload: PushPayload = {
      userId,
      peerId,
      name: name.slice(0, pushLimits.nameMaxCharacters),
      messageIds,
      count,
      upTo,
      ...(readUpTo > 0 && { readUpTo }),
      ...(owedIds && { owedIds }),
      isPreviewHidden,
      isSilent: !notificationSound,
      ...(!isPreviewHidden && text && { text }),
    }
    return { payload, upTo }
  }

  async function prepareRead(entry: PushEntry): Promise<PreparedPush> {
    const { device, peerId } = entry
    const readUpTo = seenUpToOf(await findConversation(entry))
    return { payload: { kind: 'read', userId: device.userId, peerId, readUpTo } }
  }

  return async (entry: PushEntry): Promise<PreparedPush | undefined> => {
    if (!(await sessions.isOpen(entry.device))) return undefined
    const news = await prepareNews(entry)
    return news ?? (entry.isRead ? await prepareRead(entry) : undefined)
  }
}

const seenUpToOf = (conversation: ConversationDocument | undefined) =>
  Math.max(conversation?.readUpTo ?? 0, conversation?.clearedUpTo ?? 0)
