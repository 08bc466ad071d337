import type { MessageDocument } from '../schema/message.ts'
import type { AppOverrides } from './app-overrides.ts'
import type { Budget } from './budget/budget.ts'
import { createMessageGate } from './budget/message-gate.ts'
import { createMessageRate } from './budget/message-rate.ts'
import { createStorageQuota } from './budget/storage-quota.ts'
import type { Settings } from './config.ts'
import type { Data } from './data.ts'
import { createMedia } from './media/media.ts'
import { createAcceptance } from './messages/acceptance.ts'
import { measureAcceptance } from './metrics/measure-acceptance.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { People } from './people.ts'
import { recordPushedReads } from './push/record-pushed-reads.ts'
import type { PushedRead } from './push/shown-pushes.ts'
import { announceMessages } from './realtime/announce-messages.ts'
import type { Connections } from './realtime/connections/connections.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from './storage/databases/database-names.ts'
import type { Channel } from './whatsapp/channel.ts'
import { recordReads } from './whatsapp/record-reads.ts'

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
  /** Called with each new message; returns at once. */
  onNew: (message: MessageDocument) => void
  /** Called with each conversation that was read; returns at once. */
  onRead: (read: PushedRead) => void
  onError: (error: unknown) => void
}) {
  const { settings, overrides, data, people, budget, metrics, connections, onError } = options
  const { storage, isShared, link, epochs } = data
  const { accounts, relations, privacy } = people
  const { findChannel, onNew, onRead } = options
  const media = createMedia({
    storage,
    privacy,
    isShared,
    onError,
    readPicture: async (userId) => (await accounts.find(userId))?.profilePicture,
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
  })
  const rate = createMessageRate({ perMinute: settings.messagesPerMinute, link })
  const acceptance = measureAcceptance({
    metrics,
    acceptance: createAcceptance({
      storage,
      relations,
      privacy,
      isShared,
      link,
      files: media,
      listLost: epochs.listLost,
      isFull: async (userId) => (await quota.look(userId)) !== 'free',
      onError,
      onStage: overrides.onStage,
      tallyEvery: overrides.tallyEvery,
      // Without the channel they stay queued until there is one.
      onQueued: (entries) => findChannel()?.takeQueued(entries),
    }),
  })
  const gate = createMessageGate({ acceptance, storage, rate, quota })
  const acceptMessages = announceMessages({
    acceptMessages: gate.acceptMessages,
    accounts,
    relations,
    connections,
    onNew,
    onError,
  })
  const acceptOwn = recordReads({
    acceptConversations: gate.acceptConversations,
    async noteRead(ownerId, ...read) {
      const channel = findChannel()
      if (channel && (await privacy.sendsReceipts(ownerId))) {
        channel.signals.noteRead(ownerId, ...read)
      }
    },
    onError,
  })
  const acceptConversations = recordPushedReads({
    acceptConversations: acceptOwn,
    noteRead: onRead,
  })
  return { media, quota, rate, acceptance, acceptMessages, acceptConversations }
}
