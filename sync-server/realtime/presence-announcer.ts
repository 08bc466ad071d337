import { setImmediate as letOthers } from 'node:timers/promises'
import type { ServerEvent } from '../../schema/api/socket-events.ts'
import { limits } from '../../schema/limits.ts'
import type { Directory } from '../access/directory.ts'
import type { PresenceSight, Privacy } from '../access/privacy.ts'
import type { Connection, Connections } from './connections.ts'
import type { Presence } from './presence.ts'
import { createPresenceViews, type PresenceViews } from './presence-views.ts'

/** The minimum interval between whole lists to a device. */
const listEveryMs = 1_000

/** The same for newly watched people; a device that asks more often gets a list. */
const watchedEveryMs = 300

const sightTries = 3

const never = Number.NEGATIVE_INFINITY

const nothingTold: Told = { version: -1, scope: 'everybody', listAt: never, watchedAt: never }

const hearsChanges = ({ understands }: Connection) => understands.includes('presence-changes')

const word = (event: ServerEvent) => JSON.stringify(event)

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

type Scope = Extract<ServerEvent, { event: 'presence-scope' }>['data']

/** The current state; `version` counts all comings and goings. */
interface PresenceNow {
  scope: Scope
  /** The list holds everybody online; otherwise only those in the views. */
  isWhole: boolean
  version: number
}

/** People to tell somebody about, the last of them at `version`. */
interface PresenceNews {
  userIds: readonly string[]
  version: number
  /** Those who changed who may see them: now hidden ones are gone for this viewer. */
  resighted?: ReadonlySet<string>
}

/** What a device knows. */
interface Told {
  /** Its list includes all changes up to here. */
  version: number
  scope: Scope
  /** `performance.now()` of its last list. */
  listAt: number
  /** And of its last answer about watched people. */
  watchedAt: number
}

/**
 * Composes a device's presence news: a whole list, or the changes. Reads first what a person may
 * see; then sends all frames without awaiting, so that nothing falls in between.
 */
function createPresenceTeller(options: {
  presence: Presence
  connections: Connections
  privacy: Pick<Privacy, 'readSight'>
  views: Pick<PresenceViews, 'list'>
  readNow: () => PresenceNow
}) {
  const { presence, connections, privacy, views, readNow } = options
  const told = new WeakMap<Connection, Told>()
  /** Devices that need a list: their line was full, it was too early, or their sight changed. */
  const owed = new Set<Connection>()
  /** What a device may see can be read after it has gone. */
  const gone = new WeakSet<Connection>()
  const counts = { lists: 0, frames: 0, bytes: 0 }
  /** People who see everybody share one frame. */
  const shared = {
    listVersion: -1,
    list: '',
    news: undefined as PresenceNews | undefined,
    change: '',
  }

  function wordList(userIds: readonly string[]): string {
    counts.lists += 1
    return word({ event: 'users-online', data: [...userIds] })
  }

  function describeList(viewerId: string, sight: PresenceSight): string {
    const { isWhole, version } = readNow()
    if (!isWhole) {
      return wordList(
        [...views.list(viewerId)].filter((id) => presence.isOnline(id) && sight.sees(id)),
      )
    }
    const online = presence.listOnline()
    if (!sight.seesAll(online)) return wordList(online.filter(sight.sees))
    if (shared.listVersion !== version) {
      shared.list = wordList(online)
      shared.listVersion = version
    }
    return shared.list
  }

  function wordChange(userIds: readonly string[], isShown: (userId: string) => boolean): string {
    const online = userIds.filter(isShown)
    const offline = userIds.filter((userId) => !isShown(userId))
    return word({ event: 'presence-changed', data: { online, offline } })
  }

  function describeChange(news: PresenceNews, sight: PresenceSight): string {
    const { userIds, resighted } = news
    if (!sight.seesAll(userIds)) {
      const told = userIds.filter((id) => sight.sees(id) || resighted?.has(id))
      return wordChange(told, (id) => presence.isOnline(id) && sight.sees(id))
    }
    if (shared.news !== news) {
      shared.change = wordChange(userIds, presence.isOnline)
      shared.news = news
    }
    return shared.change
  }

  /** @returns false when the line is full */
  function send(connection: Connection, text: string): boolean {
    const isSent = connection.send(text)
    if (isSent) {
      counts.frames += 1
      counts.bytes += text.length
    }
    return isSent
  }

  function tellList(connection: Connection, readList: () => string) {
    if (gone.has(connection)) return
    const before = told.get(connection) ?? { ...nothingTold }
    const now = performance.now()
    owed.add(connection)
    told.set(connection, before)
    if (now - before.listAt < listEveryMs) return
    const { scope, version } = readNow()
    const isScopeNews = hearsChanges(connection) && before.scope !== scope
    if (isScopeNews && !send(connection, word({ event: 'presence-scope', data: scope }))) return
    if (!send(connection, readList())) return
    owed.delete(connection)
    told.set(connection, { ...before, version, scope, listAt: now })
  }

  /** Has this device heard none of these news? An ungreeted one gets them with its greeting. */
  function isDue(connection: Connection, { version }: PresenceNews): boolean {
    const before = told.get(connection)
    return before !== undefined && (owed.has(connection) || before.version < version)
  }

  /** Everybody that a list to this person may have. */
  const listCandidates = (viewerId: string) =>
    readNow().isWhole ? presence.listOnline() : [...views.list(viewerId)]

  /** Who came while the sight was read is in the next list. */
  function oweMissed(viewerId: string, sight: PresenceSight) {
    if (sight.hasMissed()) oweLists(viewerId)
  }

  function oweLists(viewerId: string) {
    for (const connection of connections.listOf(viewerId)) {
      if (told.has(connection)) owed.add(connection)
    }
  }

  /** Reads again while others come: the second time their settings are in memory. */
  async function readListSight(viewerId: string, others: readonly string[] = []) {
    for (let tries = 1; ; tries += 1) {
      const sight = await privacy.readSight(viewerId, [...others, ...listCandidates(viewerId)])
      if (tries === sightTries || sight.knows(listCandidates(viewerId))) return sight
    }
  }

  async function tellListNow(connection: Connection) {
    const { userId } = connection.caller
    const sight = await readListSight(userId)
    tellList(connection, () => describeList(userId, sight))
    oweMissed(userId, sight)
  }

  return {
    /** Since the start: lists composed, frames and bytes sent. */
    counts,

    /** Sends a new device its first list. */
    greet: tellListNow,

    /** Answers a device that asks; only if `isBehind`, and not too early. */
    async answer(connection: Connection, isBehind: boolean) {
      const before = told.get(connection)
      if (!before || !(isBehind || owed.has(connection))) return
      if (performance.now() - before.listAt >= listEveryMs) await tellListNow(connection)
    },

    /** Sends a person's devices the news, or the lists that they need. */
    async tell(viewerId: string, news: PresenceNews) {
      const due = [...connections.listOf(viewerId)].filter((one) => isDue(one, news))
      if (due.length === 0) return
      const needsList = due.some((one) => owed.has(one) || !hearsChanges(one))
      const sight = needsList
        ? await readListSight(viewerId, news.userIds)
        : await privacy.readSight(viewerId, news.userIds)
      const isConcerned = news.userIds.some((id) => sight.sees(id) || news.resighted?.has(id))
      const kept: { list?: string } = {}
      const readList = () => (kept.list ??= describeList(viewerId, sight))
      for (const connection of connections.listOf(viewerId)) {
        if (!isDue(connection, news)) continue
        if (owed.has(connection)) tellList(connection, readList)
        else if (!isConcerned) continue
        else if (!hearsChanges(connection)) tellList(connection, readList)
        else if (!send(connection, describeChange(news, sight))) owed.add(connection)
      }
      oweMissed(viewerId, sight)
    },

    /** Tells a device about people it newly watches. */
    async tellWatched(connection: Connection, userIds: readonly string[]) {
      const before = told.get(connection)
      // Its greeting, or its pending list, includes them.
      if (!before || owed.has(connection)) return
      const isTooEarly = performance.now() - before.watchedAt < watchedEveryMs
      if (isTooEarly || !hearsChanges(connection)) return void owed.add(connection)
      before.watchedAt = performance.now()
      const sight = await privacy.readSight(connection.caller.userId, userIds)
      // Show hidden people as offline, like others: silence would reveal a block.
      const isShown = (userId: string) => presence.isOnline(userId) && sight.sees(userId)
      const isSent = send(connection, wordChange(userIds, isShown))
      if (!isSent && !gone.has(connection)) owed.add(connection)
    },

    /** The devices' knowledge is out of date: each needs a list. */
    oweLists,

    /** People with a device that needs a list. */
    listOwed: () => new Set([...owed].map(({ caller }) => caller.userId)),

    forget(connection: Connection) {
      gone.add(connection)
      owed.delete(connection)
      told.delete(connection)
    },
  }
}
