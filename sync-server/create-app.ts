import type { AddressInfo } from 'node:net'
import express from 'express'
import type { AccountsDocument } from './access/account-documents.ts'
import { createAccounts } from './access/create-accounts.ts'
import { createAttemptLimiter } from './access/create-attempt-limiter.ts'
import { createDepartures } from './access/create-departures.ts'
import { createDirectory } from './access/create-directory.ts'
import { createNameIndex } from './access/create-name-index.ts'
import { createPasswordHasher } from './access/create-password-hasher.ts'
import { createRelations } from './access/create-relations.ts'
import { createSessions } from './access/create-sessions.ts'
import { createTokenKeeper } from './access/create-token-keeper.ts'
import { keepTokenSecret } from './access/keep-token-secret.ts'
import { linkServers } from './cluster/link-servers.ts'
import type { Settings } from './config.ts'
import { createLog, type Log } from './create-log.ts'
import { createServer } from './create-server.ts'
import { assembleHttp } from './http/assemble-http.ts'
import { createAccessCheck } from './http/create-access-check.ts'
import { createApiRoutes } from './http/create-api-routes.ts'
import { createHealthRoutes } from './http/create-health-routes.ts'
import { createDocsRoutes } from './http/docs/create-docs-routes.ts'
import { createMedia } from './http/media/create-media.ts'
import { createMetricsRoute } from './http/metrics/create-metrics-route.ts'
import { mountRoutes } from './http/mount-routes.ts'
import { createPollRoutes } from './http/poll/create-poll-routes.ts'
import { createMetrics } from './metrics/create-metrics.ts'
import { listLevels } from './metrics/list-levels.ts'
import { measureAcceptance } from './metrics/measure-acceptance.ts'
import { acceptSockets } from './realtime/accept-sockets.ts'
import { announceMessages } from './realtime/announce-messages.ts'
import { createConnections } from './realtime/create-connections.ts'
import { createMessageSender } from './realtime/create-message-sender.ts'
import { createPresence } from './realtime/create-presence.ts'
import { createRealtime } from './realtime/create-realtime.ts'
import { shareRealtime } from './realtime/share-realtime.ts'
import { stopServer } from './stop-server.ts'
import { createSharedSignals } from './storage/create-shared-signals.ts'
import { createStorage } from './storage/create-storage.ts'
import { createAcceptance } from './sync/create-acceptance.ts'
import type { Stage } from './sync/create-message-acceptor.ts'
import { createSyncRouter } from './sync/create-sync-router.ts'

/** What a test or a build puts in place of the defaults. */
export interface AppOverrides {
  /** The folder of the built app; nothing but the API is served without it. */
  appDir?: string
  log?: Log
  /** bcrypt's cost: 10 unless a test wants many people quickly. */
  passwordCost?: number
  /** How long somebody whose last device left still counts as online. */
  presenceGraceMs?: number
  /** Who is online is told at most so often. */
  announceEveryMs?: number
  /** Up to so many online, everybody is told of everybody. */
  usersOnlineMax?: number
  /** How often a socket has to show that somebody is there. */
  socketPingEveryMs?: number
  /** How long an unused database stays open. */
  idleCloseMs?: number
  /** An upload or a download in which nothing moves for so long is cut off. */
  transferIdleMs?: number
  /** Every answer is checked against its schema before it leaves: for tests. */
  checkAnswers?: boolean
  /** Runs after each stage of a message's write, and holds it up: for tests of crashes. */
  onStage?: (stage: Stage) => void | Promise<void>
}

export interface App {
  /** Where it listens, as a URL without a slash at its end. */
  url: string
  port: number
  stats(): { openDatabases: number; sockets: number }
  /** Answers what is under way, ends polls and sockets, closes the databases; under ten seconds. */
  close(): Promise<void>
  /** Drops everything at once, as near to `kill -9` as it gets inside a process: nothing is answered or tidied. */
  kill(): Promise<void>
}

/** A server starts without Redis, too; it finds the others once they hear each other. */
const linkDueWithinMs = 2_000
const transferIdleMs = 30_000
const answersDueWithinMs = 8_000
/** A device that does not answer the goodbye is cut off. */
const goodbyesDueWithinMs = 2_000

/** Joins all parts to one server that listens. @throws Error when the port is taken or the data cannot be used */
export async function createApp(settings: Settings, overrides: AppOverrides = {}): Promise<App> {
  const log = overrides.log ?? createLog(settings.logLevel)
  const onError = (error: unknown) =>
    log.error({ err: error }, 'something failed in the background')
  const { dataDir, couchdbUrl, openDatabases, durability } = settings
  const secret = settings.jwtSecret ?? keepTokenSecret(dataDir)
  const link = settings.redisUrl ? linkServers({ url: settings.redisUrl, secret, log }) : undefined
  const storage = createStorage({
    ...{ dataDir, couchdbUrl, openDatabases, durability },
    ...(link && { signals: createSharedSignals({ link }) }),
    idleCloseMs: overrides.idleCloseMs,
  })
  const database = storage.database<AccountsDocument>('accounts')
  const isShared = couchdbUrl !== undefined

  const accounts = createAccounts({ database })
  const sessions = createSessions({ database, isShared })
  const relations = createRelations({ database, isShared })
  const nameIndex = createNameIndex({ database })
  const mode = settings.directory
  const directory = createDirectory({ mode, storage, accounts, relations, nameIndex, isShared })
  const tokens = createTokenKeeper({ secret })
  const hasher = createPasswordHasher({ cost: overrides.passwordCost })
  const accessCheck = createAccessCheck({ tokens, sessions })

  const { writeLastSeen } = accounts
  const shared = shareRealtime({
    ...{ link, sessions, relations, writeLastSeen, onError },
    connections: createConnections(),
    presence: createPresence({ writeLastSeen, graceMs: overrides.presenceGraceMs, onError }),
  })
  const { connections, presence } = shared
  const media = createMedia({
    ...{ storage, directory, isShared, onError },
    readPicture: async (userId) => (await accounts.find(userId))?.profilePicture,
  })
  const metrics = createMetrics()
  const acceptance = measureAcceptance({
    metrics,
    acceptance: createAcceptance({
      ...{ storage, relations, isShared, files: media },
      ...{ onError, onStage: overrides.onStage },
    }),
  })
  const acceptMessages = announceMessages({
    acceptMessages: acceptance.acceptMessages,
    ...{ accounts, relations, connections, onError },
  })
  const departures = createDepartures({
    ...{ database, storage, accounts, sessions, relations, onError },
    deleteMediaOf: media.deleteMediaOf,
    async settle(userId) {
      // What comes after nothing is done when nothing is: writes of one person are done in turn.
      const nothing = { actorId: userId, proposals: [] }
      await acceptance.acceptMessages(nothing)
      await acceptance.acceptConversations(nothing)
    },
  })
  const realtime = createRealtime({
    directory,
    relations,
    sessions,
    presence,
    connections,
    identify: accessCheck.identify,
    sendMessage: createMessageSender({ acceptMessages }),
    announceEveryMs: overrides.announceEveryMs,
    usersOnlineMax: overrides.usersOnlineMax,
    onError,
  })

  const app = express()
  const server = createServer({ app, settings })
  const { publicUrl } = settings
  const sockets = acceptSockets({
    ...{ app, server, publicUrl, openSocket: realtime.openSocket },
    pingEveryMs: overrides.socketPingEveryMs,
  })
  const { pollers, presenceCounts } = realtime
  metrics.watch(listLevels({ storage, sockets, pollers, presence, presenceCounts, link }))
  const { authenticate } = accessCheck
  const checkAnswers = overrides.checkAnswers ?? false
  const limitAttempts = createAttemptLimiter({ isOn: settings.isRateLimited, link })
  const apiRoutes = createApiRoutes({
    ...{ storage, accounts, sessions, relations, departures, tokens, hasher, directory },
    ...{ presence, media, limitAttempts, log },
    acceptance: { ...acceptance, acceptMessages },
    uploads: {
      limitBytes: settings.uploadLimitBytes,
      idleMs: overrides.transferIdleMs ?? transferIdleMs,
    },
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
    isHttps: settings.tls !== undefined || publicUrl?.startsWith('https:') === true,
    trustProxy: settings.trustProxy,
    appDir: overrides.appDir ?? '',
    root: mountRoutes({ routes: rootRoutes, accessCheck, checkAnswers }),
    api: mountRoutes({ routes: [...apiRoutes, ...docsRoutes], accessCheck, checkAnswers }),
    sync: createSyncRouter({
      storage,
      acceptance: { ...acceptance, acceptMessages },
      authenticate,
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

  // What a crash left half written is completed for authors who never come back to retry (P3).
  acceptance.healCopies().catch(onError)
  media.sweep().catch(onError)
  departures.finish().catch(onError)

  return {
    url,
    port,
    stats: () => ({ openDatabases: storage.stats().open, sockets: sockets.count() }),
    async close() {
      const stopped = stopServer(server, { withinMs: answersDueWithinMs })
      realtime.close()
      storage.signals.close()
      const goodbye = setTimeout(sockets.close, goodbyesDueWithinMs)
      await stopped
      clearTimeout(goodbye)
      sockets.close()
      await departures.close()
      await media.close()
      await acceptance.close()
      await presence.close()
      shared.close()
      link?.close()
      metrics.close()
      await hasher.close()
      await storage.close()
      log.info('closed')
    },
    async kill() {
      server.close()
      sockets.close()
      server.closeAllConnections()
      acceptance.drop()
      presence.drop()
      shared.close()
      link?.close()
      metrics.close()
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
