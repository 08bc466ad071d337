import type { AddressInfo } from 'node:net'
import express from 'express'
import { createAccountDeletion } from './access/account-deletion.ts'
import type { AccountsDocument } from './access/account-documents.ts'
import { createAccounts } from './access/accounts.ts'
import { createAttemptLimiter } from './access/attempt-limiter.ts'
import { createDirectory } from './access/directory/directory.ts'
import { createNameIndex } from './access/directory/name-index.ts'
import { keepTokenSecret } from './access/keep-token-secret.ts'
import { createPasswordHasher } from './access/passwords/password-hasher.ts'
import { createRelations } from './access/relations.ts'
import { createSessions } from './access/sessions.ts'
import { createTokenKeeper } from './access/token-keeper.ts'
import { createBudget } from './budget/budget.ts'
import type { BudgetLimits } from './budget/budget-limits.ts'
import { createDoorman } from './budget/doorman.ts'
import { createMessageGate } from './budget/message-gate.ts'
import { createMessageRate } from './budget/message-rate.ts'
import { createStorageQuota } from './budget/storage-quota.ts'
import type { Settings } from './config.ts'
import { createApiRoutes } from './http/api-routes.ts'
import { assembleHttp } from './http/assemble-http.ts'
import { createClosedWebhooks } from './http/channel/closed-webhooks.ts'
import { createDocsRoutes } from './http/docs/docs-routes.ts'
import { createHealthRoutes } from './http/health-routes.ts'
import { createMessageWriter } from './http/messages/message-writer.ts'
import { createOwnMessages } from './http/messages/own-messages.ts'
import { createMetricsRoute } from './http/metrics/metrics-route.ts'
import { createAccessCheck } from './http/middleware/access-check.ts'
import { mountRoutes } from './http/mount-routes.ts'
import { createPollRoutes } from './http/poll/poll-routes.ts'
import { createLog, type Log, openStandardLog } from './lib/log.ts'
import { createMedia } from './media/media.ts'
import type { Stage } from './messages/acceptance/message-acceptor.ts'
import { createAcceptance } from './messages/acceptance.ts'
import { listLevels } from './metrics/list-levels.ts'
import { measureAcceptance } from './metrics/measure-acceptance.ts'
import { createMetrics } from './metrics/metrics.ts'
import { acceptSockets } from './realtime/accept-sockets.ts'
import { announceMessages } from './realtime/announce-messages.ts'
import { createConnections } from './realtime/connections/connections.ts'
import { createMessageSender } from './realtime/message-sender.ts'
import { createPresence } from './realtime/presence/presence.ts'
import { createReactionSetter } from './realtime/reaction-setter.ts'
import { createRealtime } from './realtime/realtime.ts'
import { refuseChannelEvent } from './realtime/refuse-channel-event.ts'
import { shareRealtime } from './realtime/share-realtime.ts'
import { createServer } from './server.ts'
import { stopServer } from './stop-server.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from './storage/databases/database-names.ts'
import { createSharedSignals } from './storage/shared-signals.ts'
import { createStorage, type StorageOptions } from './storage/storage.ts'
import { createEpochs } from './sync/epochs.ts'
import { createSyncRouter } from './sync/sync-router.ts'
import { type Channel, createChannel } from './whatsapp/channel.ts'
import type { ChannelClock } from './whatsapp/client/channel-clock.ts'
import type { ContactsDocument } from './whatsapp/customers/contact-documents.ts'
import { createContacts } from './whatsapp/customers/contacts.ts'
import { handleChannelEvent } from './whatsapp/handle-channel-event.ts'
import { recordReads } from './whatsapp/record-reads.ts'

/** Overrides for tests and builds. */
export interface AppOverrides {
  /** The folder of the built app; without it only the API is served. */
  appDir?: string
  log?: Log
  /** bcrypt's cost: 10 unless a test needs many people quickly. */
  passwordCost?: number
  /** How long a person counts as online after their last device left. */
  presenceGraceMs?: number
  /** The interval between presence announcements, ms. */
  announceEveryMs?: number
  /** Up to this many online, everybody sees everybody's presence. */
  usersOnlineMax?: number
  /** How often a socket must answer a ping. */
  socketPingEveryMs?: number
  /** How often the server confirms to a device that its line is alive, and its place. */
  hereEveryMs?: number
  /** How long an unused database stays open. */
  idleCloseMs?: number
  /** Overrides of the callers' limits. */
  budget?: Partial<BudgetLimits>
  /** Checks every answer against its schema before it leaves: for tests. */
  checkAnswers?: boolean
  /**
   * When false, writes the copies of a message in sequence, as on a CouchDB: for tests of crashes
   * in between.
   */
  isAtomic?: boolean
  /** Stands between the store and LevelDB: for tests of disks that fail. */
  wrapLevel?: StorageOptions['wrapLevel']
  /** The clock of the business channel. */
  channelClock?: ChannelClock
  /** Waits before each retry of a failed webhook. */
  webhookRetryWaitsMs?: readonly number[]
  /** About how many messages lie between two stored tallies of a conversation. */
  tallyEvery?: number
  /** Runs after each stage of a message's write, and holds it up: for tests of crashes. */
  onStage?: (stage: Stage) => void | Promise<void>
}

export interface App {
  /** Where it listens, as a URL without a slash at its end. */
  url: string
  port: number
  /** `followed`: how many databases its sockets follow. */
  stats(): { openDatabases: number; sockets: number; followed: number }
  /**
   * Finishes pending answers, ends polls and sockets, closes the databases; in under ten seconds.
   */
  close(): Promise<void>
  /**
   * Drops everything at once, as close to `kill -9` as possible in-process: no answers, no cleanup.
   */
  kill(): Promise<void>
}

/** A server also starts without Redis; it finds the others once they connect. */
const linkDueWithinMs = 2_000
const answersDueWithinMs = 8_000
const lastLinesDueWithinMs = 500
/** A device that does not answer the goodbye is cut off. */
const goodbyesDueWithinMs = 2_000

/** Joins all parts to one server that listens. @throws Error when the port is taken or the data cannot be used */
export async function createApp(settings: Settings, overrides: AppOverrides = {}): Promise<App> {
  const lines = openStandardLog()
  const log = overrides.log ?? createLog(settings.logLevel, lines)
  const onError = (error: unknown) =>
    log.error({ err: error }, 'something failed in the background')
  const { dataDir, couchdbUrl, durability } = settings
  const secret = settings.jwtSecret ?? keepTokenSecret(dataDir)
  const link = settings.redisUrl
    ? (await import('./cluster/link-servers.ts')).linkServers({
        url: settings.redisUrl,
        secret,
        log,
      })
    : undefined
  const storage = createStorage({
    dataDir,
    couchdbUrl,
    durability,
    ...(link && { signals: createSharedSignals({ link }) }),
    idleCloseMs: overrides.idleCloseMs,
    wrapLevel: overrides.wrapLevel,
    isAtomic: overrides.isAtomic,
    onError,
    onTakeOver: ({ done, of }) =>
      log.info({ done, of }, 'taking over the databases of an earlier version'),
    onSetAside: (what) =>
      log.error(
        what,
        'a database of an earlier version is damaged: what can be used of it is taken over, and its folder is kept',
      ),
  })
  const isShared = couchdbUrl !== undefined
  const epochs = await storage
    .ready()
    .then(() =>
      createEpochs({
        storage,
        isShared,
        link,
        restored: settings.restored,
        onError,
        onRestored: (lost) => log.warn(lost, 'a backup was put back: devices begin again'),
      }),
    )
    .catch(async (error: unknown) => {
      link?.close()
      await storage.close()
      throw error
    })
  const database = storage.database<AccountsDocument>('accounts')

  const accounts = createAccounts({ database })
  const sessions = createSessions({ database, isShared })
  const contacts = createContacts({
    database: storage.database<ContactsDocument>('whatsapp'),
    isShared,
  })
  const relations = createRelations({
    database,
    isShared,
    isContact: async (ownerId, id) => (await contacts.find(ownerId, id)) !== undefined,
  })
  const nameIndex = createNameIndex({ database })
  const mode = settings.directory
  const directory = createDirectory({ mode, storage, accounts, relations, nameIndex, isShared })
  const tokens = createTokenKeeper({ secret })
  const hasher = createPasswordHasher({ cost: overrides.passwordCost })
  const accessCheck = createAccessCheck({ tokens, sessions })
  const budget = createBudget(overrides.budget)
  const doorman = createDoorman({
    budget,
    sessions,
    identify: accessCheck.identify,
    onError,
    isBehindProxy: settings.trustProxy > 0,
  })

  const { writeLastSeen } = accounts
  const shared = shareRealtime({
    link,
    sessions,
    relations,
    writeLastSeen,
    onError,
    connections: createConnections(),
    presence: createPresence({ writeLastSeen, graceMs: overrides.presenceGraceMs, onError }),
  })
  const { connections, presence } = shared
  const media = createMedia({
    storage,
    directory,
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
  const metrics = createMetrics()
  /** The channel writes through the acceptance that notifies it: a cycle, joined later. */
  const joined: { channel?: Channel | undefined } = {}
  const acceptance = measureAcceptance({
    metrics,
    acceptance: createAcceptance({
      storage,
      relations,
      isShared,
      link,
      files: media,
      listLost: epochs.listLost,
      isFull: async (userId) => (await quota.look(userId)) !== 'free',
      onError,
      onStage: overrides.onStage,
      tallyEvery: overrides.tallyEvery,
      // Without the channel they stay queued until there is one.
      onQueued: (entries) => joined.channel?.takeQueued(entries),
    }),
  })
  const gate = createMessageGate({ acceptance, storage, rate, quota })
  const acceptMessages = announceMessages({
    acceptMessages: gate.acceptMessages,
    accounts,
    relations,
    connections,
    onError,
  })
  const acceptConversations = recordReads({
    acceptConversations: gate.acceptConversations,
    noteRead: (...read) => joined.channel?.signals.noteRead(...read),
  })
  const departures = createAccountDeletion({
    database,
    storage,
    accounts,
    sessions,
    relations,
    onError,
    deleteMediaOf: media.deleteMediaOf,
    forgetDigestsOf: acceptance.digests.forget,
    forgetEpochOf: epochs.forget,
    forgetContactsOf: contacts.forget,
    async settle(userId) {
      // Writes of one person run in turn, so an empty write ends after all pending ones.
      const nothing = { actorId: userId, proposals: [] }
      await acceptance.acceptMessages(nothing)
      await acceptance.acceptConversations(nothing)
    },
  })
  const realtime = createRealtime({
    storage,
    epochOf: epochs.of,
    directory,
    relations,
    sessions,
    presence,
    connections,
    identify: accessCheck.identify,
    sendMessage: createMessageSender({ acceptMessages }),
    setReaction: createReactionSetter({
      writer: createMessageWriter({
        messages: createOwnMessages({ storage, scans: budget.scans }),
        acceptMessages,
      }),
    }),
    async hearChannelEvent(connection, heard) {
      if (joined.channel) await handleChannelEvent(joined.channel, connection, heard)
      else refuseChannelEvent(connection, heard)
    },
    noteContactTyping: (...typing) => joined.channel?.signals.noteTyping(...typing),
    announceEveryMs: overrides.announceEveryMs,
    usersOnlineMax: overrides.usersOnlineMax,
    hereEveryMs: overrides.hereEveryMs,
    onError,
  })

  const app = express()
  const server = createServer({ app: doorman.receive(app), settings })
  doorman.watch(server)
  const { publicUrl } = settings
  const sockets = acceptSockets({
    app,
    server,
    publicUrl,
    openSocket: realtime.openSocket,
    pingEveryMs: overrides.socketPingEveryMs,
  })
  const { pollers, presenceCounts } = realtime
  metrics.watch(listLevels({ storage, sockets, pollers, presence, presenceCounts, link, lines }))
  for (const one of [budget, rate, quota]) metrics.watch(one.levels())
  const channel =
    settings.whatsApp &&
    createChannel({
      settings: settings.whatsApp,
      storage,
      accounts,
      relations,
      contacts,
      log,
      onError,
      isShared,
      acceptance,
      acceptMessages,
      files: media,
      tell: connections.tell,
      admit: doorman.admit,
      takeBody: doorman.takeBody,
      clock: overrides.channelClock,
      webhookRetryWaitsMs: overrides.webhookRetryWaitsMs,
    })
  joined.channel = channel
  for (const levels of channel?.levels ?? []) metrics.watch(levels)
  const { authenticate } = accessCheck
  const mounting = { accessCheck, doorman, checkAnswers: overrides.checkAnswers ?? false }
  const limitAttempts = createAttemptLimiter({ isOn: settings.isRateLimited, link })
  const apiRoutes = createApiRoutes({
    storage,
    accounts,
    sessions,
    relations,
    departures,
    tokens,
    hasher,
    directory,
    presence,
    media,
    limitAttempts,
    log,
    budget,
    quota,
    rate,
    acceptance: { ...acceptance, acceptConversations, acceptMessages },
    contacts,
    channel,
    uploadLimitBytes: settings.uploadLimitBytes,
  })
  const rootRoutes = [
    ...createHealthRoutes({ storage }),
    ...createPollRoutes({ pollers }),
    createMetricsRoute({ metrics, token: settings.metricsToken }),
  ]
  const docsRoutes = createDocsRoutes({ api: apiRoutes, root: rootRoutes })
  assembleHttp({
    app,
    log,
    metrics,
    doorman,
    isHttps: settings.tls !== undefined || publicUrl?.startsWith('https:') === true,
    trustProxy: settings.trustProxy,
    appDir: overrides.appDir ?? '',
    root: mountRoutes({ routes: rootRoutes, ...mounting }),
    webhooks: channel?.router ?? createClosedWebhooks(),
    api: mountRoutes({ routes: [...apiRoutes, ...docsRoutes], ...mounting }),
    sync: createSyncRouter({
      storage,
      acceptance: { acceptConversations, acceptMessages },
      authenticate,
      reads: budget.reads,
      doorman,
      epochs,
      onError,
    }),
  })

  await link?.waitUntilUp(linkDueWithinMs)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.port, settings.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const url = `${settings.tls ? 'https' : 'http'}://${nameHost(settings.host)}:${port}`
  log.info({ url, storage: couchdbUrl ? 'couchdb' : dataDir }, 'listening')

  // Completes what a crash left half written, for authors who never return to retry (P3).
  acceptance.healCopies().catch(onError)
  media.sweep().catch(onError)
  departures.finish().catch(onError)
  accounts.completeClaims().catch(onError)
  channel?.start().catch(onError)

  return {
    url,
    port,
    stats: () => ({
      openDatabases: storage.stats().open,
      sockets: sockets.count(),
      followed: realtime.countFollowed(),
    }),
    async close() {
      storage.giveUpIn(answersDueWithinMs)
      const stopped = stopServer(server, { withinMs: answersDueWithinMs })
      realtime.close()
      storage.signals.close()
      const goodbye = setTimeout(sockets.close, goodbyesDueWithinMs)
      await stopped
      clearTimeout(goodbye)
      sockets.close()
      await departures.close()
      await accounts.close()
      await media.close()
      await channel?.close()
      await acceptance.close()
      await presence.close()
      shared.close()
      rate.close()
      epochs.close()
      link?.close()
      metrics.close()
      doorman.close()
      await hasher.close()
      await storage.close()
      log.info('closed')
      await lines.drain({ withinMs: lastLinesDueWithinMs })
    },
    async kill() {
      server.close()
      sockets.close()
      server.closeAllConnections()
      channel?.drop()
      acceptance.drop()
      presence.drop()
      shared.close()
      rate.close()
      epochs.close()
      link?.close()
      metrics.close()
      doorman.close()
      const closed = storage.close()
      realtime.close()
      storage.signals.close()
      await Promise.all([closed, hasher.close()])
    },
  }
}

function nameHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
