import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { limitUploadMs } from '../schema/api/wire.ts'
import { must } from '../schema/helpers/assertions.ts'
import { createAccountDeletion } from './access/account-deletion.ts'
import type { PersonExport } from './access/account-documents.ts'
import { createAttemptLimiter } from './access/attempt-limiter.ts'
import { createDeviceLinks } from './access/device-links.ts'
import { createPasswordDerivations } from './access/password-derivations.ts'
import { createPasswordHasher } from './access/password-hasher.ts'
import { openAdministration } from './admin/administration.ts'
import { createMailer } from './admin/mailer.ts'
import type { AppOverrides } from './app-overrides.ts'
import { createBudget } from './budget/budget.ts'
import { createDoorman, keptAliveMs } from './budget/doorman.ts'
import { followCertificate } from './certificate.ts'
import type { Settings } from './config.ts'
import { openData } from './data.ts'
import { createGroups, type Groups } from './groups/groups.ts'
import { createApiRoutes } from './http/api-routes.ts'
import { assembleHttp } from './http/assemble-http.ts'
import { createDocsRoutes } from './http/docs-routes.ts'
import { createHealthRoutes } from './http/health-routes.ts'
import { createMessageWriter } from './http/messages/message-writer.ts'
import { createOwnMessages } from './http/messages/own-messages.ts'
import { createMetricsRoute } from './http/metrics-route.ts'
import { mountRoutes } from './http/mount-routes.ts'
import { createPollRoutes } from './http/poll-routes.ts'
import { createClosedWebhooks } from './http/webhook-routes.ts'
import { createLog, openStandardLog } from './lib/log.ts'
import { createLinkPreviews } from './links/link-previews.ts'
import { groupHolder } from './media/media-documents.ts'
import { createMessaging } from './messaging.ts'
import { listLevels } from './metrics/list-levels.ts'
import { createMetrics } from './metrics/metrics.ts'
import { createPeople } from './people.ts'
import { recordPushes } from './push/record-pushes.ts'
import { createPush } from './push/web-push.ts'
import { acceptSockets } from './realtime/accept-sockets.ts'
import { createConnections } from './realtime/connections.ts'
import { createMessageSender } from './realtime/message-sender.ts'
import { createPresence } from './realtime/presence.ts'
import { createReactionSetter } from './realtime/reaction-setter.ts'
import { createRealtime } from './realtime/realtime.ts'
import { refuseChannelEvent } from './realtime/refuse-channel-event.ts'
import { shareRealtime } from './realtime/share-realtime.ts'
import { createPushAnswerer } from './sync/answer-push.ts'
import { createSyncRouter } from './sync/sync-router.ts'
import { type Channel, createChannel } from './whatsapp/channel.ts'
import { nameOfContact } from './whatsapp/customers/present-contact.ts'
import { handleChannelEvent } from './whatsapp/handle-channel-event.ts'

/** The device should give up first: it knows what to tell its person. */
const afterDeviceMs = 60_000

/** Long enough for the slowest line: a head is a few hundred bytes. */
const headMs = 20_000

const stalledLookMs = 5_000

const lookEveryMs = 25

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

/** Removes what is kept for a time only. */
const sweepEveryMs = 24 * 60 * 60 * 1000

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
  const data = await openData({ settings, overrides, log, onError })
  const { storage, link, epochs, isShared, database } = data
  const hasher = overrides.hasher ?? createPasswordHasher({ cost: overrides.passwordCost })
  const people = createPeople({ data, mode: settings.directory, onError })
  const { accounts, sessions, contacts, relations, directory, accessCheck } = people
  const budget = createBudget(overrides.budget)
  const derivations = createPasswordDerivations({
    database,
    accounts,
    secret: data.secret,
    logN: hasher.logN,
  })
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
    privacy: people.privacy,
    writeLastSeen,
    onError,
    connections: createConnections(),
    presence: createPresence({ writeLastSeen, graceMs: overrides.presenceGraceMs, onError }),
  })
  const { connections, presence, fronts, allFronts } = shared
  /** The channel writes through the acceptance that notifies it: a cycle, joined later, as others are. */
  const joined: {
    channel?: Channel | undefined
    groups?: Groups | undefined
    isSystem: (userId: string) => boolean
    exportPerson?: PersonExport
  } = { isSystem: () => false }
  const push = await createPush({
    ...{ storage, database, isShared, link, accounts, sessions, relations, log, onError },
    fronts: allFronts,
    async nameContact(ownerId, contactId) {
      const contact = await contacts.find(ownerId, contactId)
      return contact && nameOfContact(contact)
    },
    listPlaces: (range) => acceptance.journal.listBetween(range),
    findGroups: () => joined.groups,
    given: settings.pushKeys,
    subject: settings.pushSubject,
    isLoopbackAllowed: overrides.isLoopbackPushAllowed,
    clock: overrides.pushClock,
  })
  const metrics = createMetrics()
  metrics.watch(push.levels)
  const messaging = createMessaging({
    settings,
    overrides,
    data,
    people,
    budget,
    metrics,
    connections,
    findChannel: () => joined.channel,
    findGroups: () => joined.groups,
    isSystem: (userId) => joined.isSystem(userId),
    onNew: push.record,
    onRead: push.recordRead,
    onError,
  })
  const { media, quota, rate, acceptance, acceptMessages, acceptConversations } = messaging
  const groups = settings.hasGroups
    ? createGroups({
        ...{ storage, relations, privacy: people.privacy, rate, quota, connections, onError },
        files: media,
        settlePictures: (groupId) => media.settlePictures(groupHolder(groupId)),
        isBounded: settings.isRateLimited,
        onNew: push.record,
      })
    : undefined
  joined.groups = groups
  const accountDeletion = createAccountDeletion({
    database,
    storage,
    accounts,
    sessions,
    relations,
    onError,
    deleteMediaOf: media.deleteMediaOf,
    forgetDigestsOf: acceptance.digests.forget,
    forgetEpochOf: epochs.forget,
    forgetPushesOf: push.subscriptions.removeAllOf,
    forgetContactsOf: contacts.forget,
    isReported: people.reports.isReported,
    async settle(userId) {
      // Writes of one person run in turn, so an empty write ends after all pending ones.
      const nothing = { actorId: userId, proposals: [] }
      await acceptance.acceptMessages(nothing)
      await acceptance.acceptConversations(nothing)
      await groups?.leaveAll(userId)
    },
  })
  const realtime = createRealtime({
    storage,
    epochOf: epochs.of,
    directory,
    relations,
    privacy: people.privacy,
    groups,
    sessions,
    presence,
    fronts,
    connections,
    identify: accessCheck.identify,
    answerPush: createPushAnswerer({
      storage,
      epochs,
      sessions,
      acceptance: { acceptConversations, acceptMessages },
      reads: budget.reads,
      onError,
    }),
    recordActive: budget.activity.record,
    log,
    sendMessage: createMessageSender({ acceptMessages }),
    setReaction: createReactionSetter({
      writer: createMessageWriter({
        messages: createOwnMessages({ storage, scans: budget.scans }),
        acceptMessages,
      }),
    }),
    async onChannelEvent(connection, heard) {
      if (joined.channel) await handleChannelEvent(joined.channel, connection, heard)
      else refuseChannelEvent(connection, heard)
    },
    recordContactTyping: (...typing) => joined.channel?.signals.recordTyping(...typing),
    announceEveryMs: overrides.announceEveryMs,
    usersOnlineMax: overrides.usersOnlineMax,
    hereEveryMs: overrides.hereEveryMs,
    onError,
  })

  const app = express()
  const server = createServer({ app: doorman.receive(app), settings })
  doorman.watch(server)
  const renewals =
    settings.tls &&
    followCertificate({
      server,
      certificate: settings.tls,
      onRenewed: () => log.info('TLS_CERT and TLS_KEY have changed: the new certificate is served'),
      onRefused: (problem) =>
        log.error({ problem }, 'TLS_CERT and TLS_KEY have changed, and cannot be used'),
      everyMs: overrides.certificateEveryMs,
    })
  const { publicUrl } = settings
  const sockets = acceptSockets({
    app,
    server,
    publicUrl,
    openSocket: realtime.openSocket,
    pingEveryMs: overrides.socketPingEveryMs,
  })
  const { pollers, presenceCounts, countPushes } = realtime
  metrics.watch(
    listLevels({ storage, sockets, pollers, presence, presenceCounts, countPushes, link, lines }),
  )
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
      tell: recordPushes({ tell: connections.tell, record: push.record }),
      admit: doorman.admit,
      takeBody: doorman.takeBody,
      clock: overrides.channelClock,
      webhookRetryWaitsMs: overrides.webhookRetryWaitsMs,
      isAlone: budget.activity.isAlone,
    })
  joined.channel = channel
  for (const levels of channel?.levels ?? []) metrics.watch(levels)
  const { authenticate } = accessCheck
  const limitAttempts = createAttemptLimiter({ isOn: settings.isRateLimited, link })
  const mailer = settings.mail && createMailer({ ...settings.mail, onError })
  const administration = await openAdministration({
    settings,
    storage,
    people,
    relations,
    mailer,
    accountDeletion,
    presence,
    quota,
    metrics,
    acceptMessages: acceptance.acceptMessages,
    limitAttempts,
    exportPerson: (...person) => must(joined.exportPerson, 'the calls')(...person),
    channelState: () => (channel === undefined ? 'off' : channel.isSandbox ? 'sandbox' : 'live'),
    onError,
  })
  joined.isSystem = administration.isSystem
  const deviceLinks = createDeviceLinks({
    link,
    now: overrides.deviceLinkNow,
    answersWithinMs: overrides.deviceLinkAnswersWithinMs,
  })
  const mounting = {
    accessCheck,
    doorman,
    requireAdmin: administration.requireAdmin,
    checkAnswers: overrides.checkAnswers ?? false,
  }
  const api = createApiRoutes({
    deviceLinks,
    publicUrl,
    storage,
    accounts,
    sessions,
    relations,
    reports: people.reports,
    accountDeletion,
    tokens: people.tokens,
    hasher,
    derivations,
    directory,
    privacy: people.privacy,
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
    push,
    connections,
    resets: people.resets,
    mailer,
    admission: {
      mode: settings.registration,
      invitesBy: settings.invitesBy,
      invitations: administration.store,
      isAdmin: administration.store.isAdmin,
    },
    linkPreviews: createLinkPreviews(settings.linkPreviews),
    uploadLimitBytes: settings.uploadLimitBytes,
    supportEmail: settings.supportEmail,
    isAdmin: administration.store.isAdmin,
    encryption: settings.encryption,
    groups,
  })
  joined.exportPerson = api.exportPerson
  const rootRoutes = [
    ...createHealthRoutes({ storage }),
    ...createPollRoutes({ pollers }),
    createMetricsRoute({ metrics, token: settings.metricsToken }),
  ]
  const calls = [...api.routes, ...administration.routes]
  const docsRoutes = createDocsRoutes({ api: calls, root: rootRoutes })
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
    api: mountRoutes({ routes: [...calls, ...docsRoutes], ...mounting }),
    sync: createSyncRouter({
      storage,
      acceptance: { acceptConversations, acceptMessages },
      groups,
      authenticate,
      reads: budget.reads,
      doorman,
      epochs,
      onError,
    }),
  })

  await link?.waitUntilUp(linkDueWithinMs)
  await groups?.healFiles().catch(onError)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.port, settings.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const url = `${settings.tls ? 'https' : 'http'}://${nameHost(settings.host)}:${port}`
  log.info({ url, storage: settings.couchdbUrl ? 'couchdb' : settings.dataDir }, 'listening')

  // Completes what a crash left half written, for authors who never return to retry (P3).
  acceptance.healCopies().catch(onError)
  groups?.marks.heal().catch(onError)
  media.sweep().catch(onError)
  accountDeletion.finish().catch(onError)
  accounts.completeClaims().catch(onError)
  const sweep = () => {
    people.reports.sweep().catch(onError)
    accounts.sweepHolds().catch(onError)
  }
  sweep()
  const sweeping = setInterval(sweep, sweepEveryMs).unref()
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
      clearInterval(sweeping)
      renewals?.close()
      storage.giveUpIn(answersDueWithinMs)
      const stopped = stopServer(server, { withinMs: answersDueWithinMs })
      realtime.close()
      deviceLinks.close()
      storage.signals.close()
      const goodbye = setTimeout(sockets.close, goodbyesDueWithinMs)
      await stopped
      clearTimeout(goodbye)
      sockets.close()
      await administration.close()
      mailer?.close()
      await accountDeletion.close()
      await accounts.close()
      await media.close()
      push.close()
      await channel?.close()
      await acceptance.close()
      await groups?.marks.close()
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
      clearInterval(sweeping)
      renewals?.close()
      server.close()
      sockets.close()
      server.closeAllConnections()
      push.close()
      mailer?.close()
      channel?.drop()
      acceptance.drop()
      groups?.marks.drop()
      presence.drop()
      shared.close()
      rate.close()
      epochs.close()
      link?.close()
      metrics.close()
      doorman.close()
      const closed = storage.close()
      realtime.close()
      deviceLinks.close()
      storage.signals.close()
      await Promise.all([closed, hasher.close(), administration.close()])
    },
  }
}

function nameHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/**
 * Stops accepting connections, and waits for pending answers.
 * @param withinMs after this, cuts off what is still open
 */
async function stopServer(server: Server, { withinMs }: { withinMs: number }): Promise<void> {
  const stopped = new Promise<void>((resolve) => server.close(() => resolve()))
  // A kept-alive connection is idle only once its last answer is out.
  const idle = setInterval(() => server.closeIdleConnections(), lookEveryMs)
  const deadline = setTimeout(() => server.closeAllConnections(), withinMs)
  await stopped
  clearInterval(idle)
  clearTimeout(deadline)
}

/**
 * HTTP, or HTTPS. The largest file may take as long as it needs; the transfer watch ends bodies
 * that are too slow for their size long before.
 */
export function createServer(options: {
  app: RequestListener
  settings: Pick<Settings, 'tls' | 'trustProxy' | 'uploadLimitBytes'>
}): Server {
  const { tls, trustProxy, uploadLimitBytes } = options.settings
  const timing = {
    headersTimeout: headMs,
    // The proxy's connections, which carry whoever asks.
    ...(trustProxy > 0 && { keepAliveTimeout: keptAliveMs }),
    requestTimeout: limitUploadMs(uploadLimitBytes) + afterDeviceMs,
    connectionsCheckingInterval: stalledLookMs,
  }
  return tls
    ? createHttpsServer(
        { cert: tls.cert, key: tls.key, ...timing, handshakeTimeout: headMs },
        options.app,
      )
    : createHttpServer(timing, options.app)
}
