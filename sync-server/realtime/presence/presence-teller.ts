import type { ServerEvent } from '../../../schema/api/socket-events.ts'
import type { PresenceSight, Privacy } from '../../access/privacy/privacy.ts'
import type { Connection, Connections } from '../connections/connections.ts'
import type { Presence } from './presence.ts'
import type { PresenceViews } from './presence-views.ts'

/** The minimum interval between whole lists to a device. */
const listEveryMs = 1_000
/** The same for newly watched people; a device that asks more often gets a list. */
const watchedEveryMs = 300

const sightTries = 3

type Scope = Extract<ServerEvent, { event: 'presence-scope' }>['data']

/** The current state; `version` counts all comings and goings. */
export interface PresenceNow {
  scope: Scope
  /** The list holds everybody online; otherwise only those in the views. */
  isWhole: boolean
  version: number
}

/** People to tell somebody about, the last of them at `version`. */
export interface PresenceNews {
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

const never = Number.NEGATIVE_INFINITY
const nothingTold: Told = { version: -1, scope: 'everybody', listAt: never, watchedAt: never }

const hearsChanges = ({ understands }: Connection) => understands.includes('presence-changes')
const word = (event: ServerEvent) => JSON.stringify(event)

/**
 * Composes a device's presence news: a whole list, or the changes. Reads first what a person may
 * see; then sends all frames without awaiting, so that nothing falls in between.
 */
export function createPresenceTeller(options: {
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
