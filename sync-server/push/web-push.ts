import { setImmediate as yieldToOthers } from 'node:timers/promises'
import pLimit from 'p-limit'
import { type PushPayload, type PushRead, pushLimits } from '../../schema/api/push.ts'
import { type ConversationDocument, isMutedAt } from '../../schema/conversation.ts'
import type { GroupDocument } from '../../schema/group.ts'
import { isIncoming, type MessageDocument } from '../../schema/message.ts'
import { isQuietTime } from '../../schema/quiet-hours.ts'
import { readSettings } from '../../schema/settings.ts'
import type { AccountsDocument } from '../access/account-documents.ts'
import type { Accounts } from '../access/accounts.ts'
import type { PushDocument } from '../access/push-subscription-documents.ts'
import type { Relations } from '../access/relations.ts'
import type { Sessions } from '../access/sessions.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import type { Log } from '../lib/log.ts'
import type { OrderJournal } from '../messages/copies/order-journal.ts'
import type { Levels } from '../metrics/read-levels.ts'
import type { SharedFronts } from '../realtime/shared-fronts.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../storage/documents/database-names.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import { isPushEndpoint } from './push-endpoint.ts'
import { keepPushKeys, type PushKeys } from './push-keys.ts'
import { createPushNews } from './push-news.ts'
import {
  createPushQueue,
  type EntryOutcome,
  type PushClock,
  type PushEntry,
  realPushClock,
} from './push-queue.ts'
import { createPushSender, type SealedPush } from './push-sender.ts'
import { createPushSubscriptions } from './push-subscriptions.ts'
import { canTakeRead, createShownPushes, type ReadDevices } from './shown-pushes.ts'

/** Both people's. */
const placesMax = 50

const seenUpToOf = (conversation: ConversationDocument | undefined) =>
  Math.max(conversation?.readUpTo ?? 0, conversation?.clearedUpTo ?? 0)

/**
 * Many may be on their way to slow services, but few ask the storage and the processor at once:
 * messages need both.
 */
const preparedAtOnce = 2

/** What groups show to their members alone. */
interface GroupReader {
  findFor(userId: string, groupId: string): Promise<GroupDocument | undefined>
  readMessages(asked: {
    userId: string
    groupId: string
    ids: readonly string[]
  }): Promise<MessageDocument[]>
}

export type Push = Awaited<ReturnType<typeof createPush>>

/**
 * Web push: tells the devices of people who look at none of them that somebody wrote. Nothing
 * depends on it, and no message waits for it.
 * @param given the pair of keys from the settings
 * @param subject how a push service reaches the operator: `mailto:` or `https:`
 */
export async function createPush(options: {
  storage: Pick<Storage, 'database'>
  database: StoredDatabase<AccountsDocument>
  isShared: boolean
  link: ServerLink | undefined
  accounts: Accounts
  sessions: Sessions
  relations: Relations
  fronts: SharedFronts
  nameContact: (ownerId: string, contactId: string) => Promise<string | undefined>
  listPlaces: OrderJournal['listBetween']
  findGroups: () => GroupReader | undefined
  given: PushKeys | undefined
  subject: string
  /** For tests: push services on this machine, over HTTP. */
  isLoopbackAllowed?: boolean | undefined
  clock?: PushClock | undefined
  random?: (() => number) | undefined
  log: Log
  onError: (error: unknown) => void
}) {
  const { database, isShared, sessions, fronts, log, onError } = options
  const { clock = realPushClock, random = Math.random, isLoopbackAllowed = false } = options
  const keys = await keepPushKeys({ database, given: options.given })
  const subscriptions = createPushSubscriptions({ database, isShared, now: clock.now })
  const sender = createPushSender({
    keys,
    subject: options.subject,
    isLoopbackAllowed,
    now: clock.now,
  })
  const prepare = createPushChecks({ ...options, clock })
  const turn = pLimit(preparedAtOnce)

  async function send(entry: PushEntry, leave: () => void): Promise<EntryOutcome> {
    const endFlight = shown.begin(entry.device, entry.peerId)
    const sent = { upTo: undefined as number | undefined }
    try {
      const prepared = await turn(() => prepareSealed(entry))
      if (!prepared) return { kind: 'dropped' }
      leave()
      const outcome = await deliver(entry.device, prepared.sealed)
      if (outcome.kind === 'sent' && 'upTo' in prepared) sent.upTo = prepared.upTo
      return outcome
    } finally {
      endFlight(sent.upTo)
    }
  }

  async function prepareSealed(entry: PushEntry) {
    const prepared = await prepare(entry)
    if (!prepared) return undefined
    // What came in meanwhile goes first: the encryption holds the whole server up.
    await yieldToOthers()
    return { ...prepared, sealed: sender.seal(entry.device, prepared.payload) }
  }

  async function deliver(
    device: PushDocument,
    sealed: SealedPush | undefined,
  ): Promise<EntryOutcome> {
    // Earlier servers kept keys for which nothing can be encrypted.
    const outcome: EntryOutcome = sealed ? await sender.send(sealed) : { kind: 'gone' }
    if (outcome.kind === 'gone') await subscriptions.remove(device, device.endpoint)
    if (outcome.kind === 'later' || outcome.kind === 'refused') {
      // The rest of an endpoint is a secret: who knows it can push, or at least disturb.
      const { host } = new URL(device.endpoint)
      log.warn({ host, ...outcome }, 'a push was not taken')
    }
    return outcome
  }

  /** Devices that showed messages of a chat which was read on another. */
  async function tellRead({ userId, peerId, deviceIds }: ReadDevices) {
    for (const device of await subscriptions.listOf(userId)) {
      if (!deviceIds.includes(device._id) || !canTakeRead(device)) continue
      queue.add({
        device,
        peerId,
        messageIds: [],
        count: 0,
        queuedAt: clock.now(),
        isRead: true,
      })
    }
  }

  const shown = createShownPushes({
    link: options.link,
    onRead: (devices) => void tellRead(devices).catch(onError),
  })
  const queue = createPushQueue({ clock, random, send, onError })
  const news = createPushNews({ subscriptions, queue, fronts, clock, onError })
  const stopListening = sessions.onEnded((ended) => {
    subscriptions.remove(ended).catch(onError)
  })

  const readCount = (name: keyof typeof queue.counts) => () => queue.counts[name]
  const levels: Levels = {
    gauges: {
      petrel_pushes_waiting: { help: 'Pushes that wait.', read: readCount('waiting') },
    },
    counters: {
      petrel_pushes_sent_total: {
        help: 'Pushes that a push service has taken.',
        read: readCount('sent'),
      },
      petrel_pushes_failed_total: {
        help: 'Attempts at a push that are made again later.',
        read: readCount('failed'),
      },
      petrel_pushes_refused_total: {
        help: 'Pushes that a push service will not take.',
        read: () => queue.counts.refused + queue.counts.gone,
      },
      petrel_pushes_dropped_total: {
        help: 'Pushes that nobody needed any more, or that had no room.',
        read: readCount('dropped'),
      },
    },
  }

  return {
    publicKey: keys.publicKey,
    subscriptions,
    levels,
    /** New messages, as they were accepted. Returns at once. */
    record: news.record,
    /** A person has read a chat. Returns at once. */
    recordRead: shown.recordRead,
    /** May pushes go to this address? */
    accepts: (endpoint: string) =>
      isPushEndpoint(endpoint) || (isLoopbackAllowed && endpoint.startsWith('http://127.0.0.1:')),
    close() {
      stopListening()
      news.close()
      shown.close()
      queue.close()
      sender.close()
      fronts.close()
    },
  }
}

/** What a device is sent, and the place of the newest message in it. */
type PreparedPush = { payload: PushPayload; upTo: number } | { payload: PushRead }

/**
 * What one device is sent, asked at the last moment: a push may have waited an hour. Undefined when
 * its sign-in ended, its person looks at a device, has read the chat, muted, archived or blocked
 * it and is not mentioned, or wants quiet now. None of the latter matters to a push that only says what was read.
 * @param listPlaces the places of two people's messages
 * @param nameContact a customer of this person's business channel; undefined for anybody else
 */
function createPushChecks(options: {
  storage: Pick<Storage, 'database'>
  accounts: Pick<Accounts, 'find'>
  sessions: Pick<Sessions, 'isOpen'>
  relations: Pick<Relations, 'canReach'>
  fronts: Pick<SharedFronts, 'has'>
  nameContact: (ownerId: string, contactId: string) => Promise<string | undefined>
  listPlaces: OrderJournal['listBetween']
  findGroups: () => GroupReader | undefined
  clock: PushClock
}) {
  const { storage, accounts, sessions, relations, fronts, nameContact, listPlaces, clock } = options
  const { findGroups } = options

  async function findConversation({ device, peerId }: PushEntry) {
    const name = nameConversationsDatabase(device.userId)
    const conversation = await storage.database<ConversationDocument>(name).read([peerId])
    return conversation.get(peerId)
  }

  /** What of these messages is left: those that were deleted or read since do not count. */
  async function findLeft(
    { device, messageIds, count }: Pick<PushEntry, 'device' | 'messageIds' | 'count'>,
    { group, seenUpTo }: { group: GroupDocument | undefined; seenUpTo: number },
  ) {
    const { userId } = device
    const messages = storage.database<MessageDocument>(nameMessagesDatabase(userId))
    const found = group
      ? ((await findGroups()?.readMessages({ userId, groupId: group._id, ids: messageIds })) ?? [])
      : [...(await messages.read(messageIds)).values()]
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
      isIncoming({ senderId }, device.userId) && !isHeld && !messageIds.includes(messageId)
        ? [messageId]
        : [],
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
    const group = await findGroups()?.findFor(userId, peerId)
    if (!group && (await relations.canReach(peerId, userId)) !== 'delivered') return undefined
    const conversation = await findConversation(entry)
    const isQuiet =
      conversation && (conversation.isArchived || isMutedAt(conversation, clock.now()))
    const { mentionIds = [] } = entry
    if (isQuiet && mentionIds.length === 0) return undefined
    const mentioned = { device, messageIds: mentionIds, count: mentionIds.length }
    const readUpTo = seenUpToOf(conversation)
    const { newest, messageIds, count } = await findLeft(isQuiet ? mentioned : entry, {
      group,
      seenUpTo: readUpTo,
    })
    const name = newest && (group ? group.name : await nameAuthor(userId, peerId))
    if (!name) return undefined
    const author = group && (await accounts.find(newest.senderId))?.username
    const isPreviewHidden = notificationPreview === 'hidden'
    const text = newest.content.slice(0, pushLimits.textMaxCharacters).trim()
    const upTo = newest.orderedAt
    const arrivedUpTo = Math.max(readUpTo, conversation?.deliveredUpTo ?? 0)
    const owedIds = group
      ? undefined
      : await listOwed({ device, peerId, messageIds }, { after: arrivedUpTo, upTo })
    const payload: PushPayload = {
      userId,
      peerId,
      name: name.slice(0, pushLimits.nameMaxCharacters),
      ...(group && { isGroup: true }),
      ...(author !== undefined && { author: author.slice(0, pushLimits.nameMaxCharacters) }),
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
