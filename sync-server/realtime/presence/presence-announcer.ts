import { setImmediate as letOthers } from 'node:timers/promises'
import { limits } from '../../../schema/limits.ts'
import type { Directory } from '../../access/directory/directory.ts'
import type { Privacy } from '../../access/privacy/privacy.ts'
import type { Connection, Connections } from '../connections/connections.ts'
import type { Presence } from './presence.ts'
import { createPresenceTeller, type PresenceNews } from './presence-teller.ts'
import { createPresenceViews } from './presence-views.ts'

export type PresenceAnnouncer = ReturnType<typeof createPresenceAnnouncer>

const announceEveryMs = 1_000
/** Announces less often when there is much to send, instead of filling every line. */
const bytesPerMs = 20_000
/** Yields to other work after this many people: each hears of up to hundreds, on a few sockets. */
const peopleInARow = 20

/**
 * Tells each connected person about visible people's comings and goings: at once, and then at most
 * once a second. Up to `usersOnlineMax` that is everybody; beyond it, each change goes only to
 * those it concerns.
 * @param everyMs replaces the second
 */
export function createPresenceAnnouncer(options: {
  presence: Presence
  connections: Connections
  directory: Pick<Directory, 'isForContacts' | 'listContacts' | 'onConversationsWritten'>
  privacy: Pick<Privacy, 'readSight'>
  everyMs?: number | undefined
  usersOnlineMax?: number | undefined
  onError: (error: unknown) => void
}) {
  const { presence, connections, directory, privacy, onError } = options
  const { everyMs = announceEveryMs, usersOnlineMax = limits.usersOnlineMax } = options
  const state = {
    isWhole: !directory.isForContacts,
    version: 0,
    timer: undefined as NodeJS.Timeout | undefined,
    isClosed: false,
  }
  /** People who came or went since the last announcement, each with the resulting version. */
  const changed = new Map<string, number>()
  /** Those among them who changed who may see them. */
  let resighted: ReadonlySet<string> = new Set()
  /** News for one person alone, when not everybody gets everything. */
  const pending = new Map<string, { userIds: Set<string>; version: number }>()
  const views = createPresenceViews({
    directory,
    connections,
    onError,
    onFound(viewerId, userIds) {
      state.version += 1
      for (const userId of userIds.filter(presence.isOnline)) {
        recordFor(viewerId, userId, state.version)
      }
      request()
    },
  })
  const teller = createPresenceTeller({
    presence,
    connections,
    privacy,
    views,
    readNow: () => ({
      isWhole: state.isWhole,
      scope: state.isWhole || directory.isForContacts ? 'everybody' : 'some',
      version: state.version,
    }),
  })

  function newsFor(viewerId: string) {
    const news = pending.get(viewerId) ?? { userIds: new Set<string>(), version: -1 }
    pending.set(viewerId, news)
    return news
  }

  function recordFor(viewerId: string, userId: string, version: number) {
    const news = newsFor(viewerId)
    news.userIds.add(userId)
    news.version = Math.max(news.version, version)
  }

  function adjustScope() {
    const isWhole = !directory.isForContacts && presence.countOnline() <= usersOnlineMax
    if (isWhole === state.isWhole) return
    state.isWhole = isWhole
    if (isWhole) views.closeAll()
    for (const viewerId of connections.listUsers()) {
      if (!isWhole) void views.open(viewerId)
      teller.oweLists(viewerId)
    }
    request()
  }

  /** Collects each person's news, and counts it as told. */
  function takeNews(): [string, PresenceNews][] {
    const news = { userIds: [...changed.keys()], version: state.version, resighted }
    resighted = new Set()
    if (!state.isWhole) {
      views.forConcerned(changed.keys(), (viewerId, userId) =>
        recordFor(viewerId, userId, changed.get(userId) ?? 0),
      )
      for (const viewerId of teller.listOwed()) newsFor(viewerId)
    }
    const own = [...pending].map(([viewerId, { userIds, version }]): [string, PresenceNews] => [
      viewerId,
      { userIds: [...userIds], version, resighted: news.resighted },
    ])
    changed.clear()
    pending.clear()
    if (!state.isWhole) return own
    const viewerIds = news.userIds.length > 0 ? connections.listUsers() : [...teller.listOwed()]
    return viewerIds.map((viewerId) => [viewerId, news])
  }

  /** @returns the wait before the next announcement, in ms */
  async function announce(): Promise<number> {
    const bytesBefore = teller.counts.bytes
    adjustScope()
    let row = 0
    const failed: unknown[] = []
    for (const [viewerId, news] of takeNews()) {
      await teller.tell(viewerId, news).catch((error: unknown) => {
        failed.push(error)
        teller.oweLists(viewerId)
      })
      row += 1
      if (row % peopleInARow === 0) await letOthers()
    }
    // Failing storage fails for everybody: one report is enough.
    if (failed.length > 0) onError(failed[0])
    return Math.max(everyMs, (teller.counts.bytes - bytesBefore) / bytesPerMs)
  }

  const isAnythingUntold = () => changed.size > 0 || pending.size > 0

  async function run() {
    const waitMs = await announce()
    if (!state.isClosed) state.timer = setTimeout(rest, waitMs).unref()
  }

  function rest() {
    state.timer = undefined
    if (isAnythingUntold() || teller.listOwed().size > 0) request()
  }

  function request() {
    if (!state.isClosed) state.timer ??= setTimeout(() => void run(), 0).unref()
  }

  async function greet(connection: Connection) {
    const { userId } = connection.caller
    adjustScope()
    if (!state.isWhole) {
      const opened = views.open(userId)
      // In this mode nobody is visible before the contacts are known.
      if (directory.isForContacts) await opened
    }
    const release = views.hold()
    await teller.greet(connection).finally(release)
    if (teller.listOwed().size > 0) request()
  }

  return {
    counts: teller.counts,

    /** These people may have come or gone. */
    handleChanged(userIds: readonly string[]) {
      state.version += 1
      for (const userId of userIds) changed.set(userId, state.version)
      request()
    },

    /** This person has changed who may see that they are online. */
    handleResighted(userId: string) {
      state.version += 1
      changed.set(userId, state.version)
      resighted = new Set([...resighted, userId])
      request()
    },

    /** Whose presence these people may see has changed. */
    handleSightChanged(userIds: readonly string[]) {
      for (const viewerId of userIds) teller.oweLists(viewerId)
      request()
    },

    /** Sends a new device its first list; disconnects it on failure, to reconnect. */
    welcome(connection: Connection) {
      greet(connection).catch((error: unknown) => {
        if (state.isClosed) return
        onError(error)
        connection.close(1011, 'The server could not open this connection.')
      })
    },

    /** Sends a device that asks what it lacks: mostly nothing, at most one list a second. */
    answer: (connection: Connection) => teller.answer(connection, isAnythingUntold()),

    /** Records who a device shows, and tells it about those new to it. */
    async watch(connection: Connection, userIds: readonly string[]) {
      const fresh = views.watch(connection, userIds)
      if (state.isWhole || fresh.length === 0) return
      await teller.tellWatched(connection, fresh)
      request()
    },

    /** A device has gone. */
    forget(connection: Connection) {
      const { userId } = connection.caller
      teller.forget(connection)
      views.unwatch(connection)
      if ([...connections.listOf(userId)].length === 0) views.close(userId)
    },

    close() {
      state.isClosed = true
      clearTimeout(state.timer)
      views.stop()
    },
  }
}
