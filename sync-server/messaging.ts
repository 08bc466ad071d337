import type { ConversationDocument } from '../schema/conversation.ts'
import type { MessageDocument } from '../schema/message.ts'
import type { AppOverrides } from './app-overrides.ts'
import type { Budget } from './budget/budget.ts'
import { createMessageGate } from './budget/message-gate.ts'
import { createMessageRate } from './budget/message-rate.ts'
import { createStorageQuota } from './budget/storage-quota.ts'
import type { Settings } from './config.ts'
import type { Data } from './data.ts'
import type { Groups } from './groups/groups.ts'
import { createMedia } from './media/media.ts'
import { readGroupHolder } from './media/media-documents.ts'
import { createAcceptance } from './messages/message-acceptance.ts'
import {
  type Accepted,
  listStoredOfPeople,
  type MessagePrivacy,
} from './messages/proposals/proposal.ts'
import { type Metrics, recordAccepted } from './metrics/metrics.ts'
import type { People } from './people.ts'
import { recordPushedReads } from './push/record-pushes.ts'
import type { PushedRead } from './push/shown-pushes.ts'
import { createAnnouncer } from './realtime/announcer.ts'
import type { Connections } from './realtime/connections.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from './storage/documents/database-names.ts'
import type { Channel } from './whatsapp/channel.ts'

/** Accepts messages, conversations and files, within what one person may store and send. */
export function createMessaging(options: {
  settings: Settings
  overrides: AppOverrides
  data: Data
  people: People
  budget: Budget
  metrics: Metrics
  connections: Connections
  /** The business channel, once there is one: it writes through the acceptance that notifies it. */
  findChannel: () => Channel | undefined
  /** Is this the account that announcements come from? */
  isSystem: (userId: string) => boolean
  /** Groups, once there are: they count as messages do. */
  findGroups: () => Groups | undefined
  /** Called with each new message; returns at once. */
  onNew: (message: MessageDocument) => void
  /** Called with each conversation that was read; returns at once. */
  onRead: (read: PushedRead) => void
  onError: (error: unknown) => void
}) {
  const { settings, overrides, data, people, budget, metrics, connections, onError } = options
  const { storage, isShared, link, epochs } = data
  const { accounts, relations, privacy } = people
  const messagePrivacy: MessagePrivacy = {
    hidesReading: privacy.hidesReading,
    // Whoever runs the server reaches everybody.
    refusesFirst: async (senderId, recipientId) =>
      !options.isSystem(senderId) && (await privacy.refusesFirst(senderId, recipientId)),
  }
  const { findChannel, onNew, onRead } = options
  const media = createMedia({
    storage,
    privacy,
    isShared,
    onError,
    async readPicture(ownerId) {
      const groupId = readGroupHolder(ownerId)
      if (groupId === undefined) return (await accounts.find(ownerId))?.profilePicture
      return (await options.findGroups()?.find(groupId))?.picture
    },
    showsGroupPicture: async (userId, groupId, code) =>
      (await options.findGroups()?.showsPicture(userId, groupId, code)) ?? false,
    readInGroups: async (userId, messages) =>
      (await options.findGroups()?.listMediaUrls(userId, messages)) ?? [],
    onFilesChanged: (ownerId) => quota.handleFilesChanged(ownerId),
    inTurn: (step) => budget.scans.once({ key: 'the sweep of files' }, step),
  })
  const quota = createStorageQuota({
    quotaBytes: settings.storageQuotaBytes,
    async readMessages(userId) {
      const names = [nameMessagesDatabase(userId), nameConversationsDatabase(userId)]
      const tallies = await Promise.all(names.map((name) => storage.database(name).readTally()))
      return tallies.reduce((sum, bytes) => sum + bytes, 0)
    },
    readFiles: media.readUsed,
    readOwnQuota: async (userId) => (await accounts.find(userId))?.quotaBytes,
  })
  const rate = createMessageRate({ perMinute: settings.messagesPerMinute, link })
  const announce = createAnnouncer({ accounts, relations, connections, onNew, onError })
  const acceptance = createAcceptance({
    storage,
    relations,
    privacy: messagePrivacy,
    isShared,
    link,
    files: media,
    listLost: epochs.listLost,
    findGroup: async (userId, groupId) =>
      await options.findGroups()?.marks.findMarked(userId, groupId),
    isFull: async (userId) => (await quota.look(userId)) !== 'free',
    listener: {
      onMessages(accepted) {
        recordAccepted(metrics, 'messages', accepted)
        announce(accepted)
      },
      onConversations(accepted) {
        recordAccepted(metrics, 'conversations', accepted)
        recordPushedReads(accepted, onRead)
        recordReads(accepted, (contactId, readUpTo) => {
          reportRead(accepted.actorId, contactId, readUpTo).catch(onError)
        })
      },
    },
    onError,
    onStage: overrides.onStage,
    tallyEvery: overrides.tallyEvery,
    lookAgainMs: overrides.healAgainMs,
    // Without the channel they stay queued until there is one.
    onQueued: (entries) => findChannel()?.takeQueued(entries),
  })

  async function reportRead(ownerId: string, contactId: string, readUpTo: number) {
    const channel = findChannel()
    if (channel && (await privacy.sendsReceipts(ownerId))) {
      await channel.signals.recordRead(ownerId, contactId, readUpTo)
    }
  }

  const { acceptMessages, acceptConversations } = createMessageGate({
    acceptance,
    storage,
    rate,
    quota,
  })
  return { media, quota, rate, acceptance, acceptMessages, acceptConversations }
}

/** Reports to the channel how far operators have read their customers' conversations. */
function recordReads(
  accepted: Accepted<ConversationDocument>,
  recordRead: (contactId: string, readUpTo: number) => void,
): void {
  for (const { isTaken, doc } of listStoredOfPeople(accepted)) {
    const { _id, readUpTo, whatsapp_conversation_id: name } = doc
    if (isTaken && name !== undefined && readUpTo > 0) recordRead(_id, readUpTo)
  }
}
