import type { ServerEvent } from '../../../schema/api/socket-events.ts'
import type { Directory, Sight } from '../../access/directory/directory.ts'
import type { Connection, Connections } from '../connections/connections.ts'
import type { Presence } from './presence.ts'
import type { PresenceViews } from './presence-views.ts'

/** A device is told a whole list at most so often. */
const listEveryMs = 1_000
/** And of those whom it has begun to watch; one that asks more often is told by a list. */
const watchedEveryMs = 300

type Scope = Extract<ServerEvent, { event: 'presence-scope' }>['data']

/** What holds now; `version` counts all comings and goings. */
export interface PresenceNow {
  scope: Scope
  /** Everybody who is online is listed; else only those in the views. */
  isWhole: boolean
  version: number
}

/** People of whom somebody is to be told, the last of them at `version`. */
export interface PresenceNews {
  userIds: readonly string[]
  version: number
}

/** What a device has been told. */
interface Told {
  /** Its list holds all comings and goings up to here. */
  version: number
  scope: Scope
  /** `performance.now()` of its last list. */
  listAt: number
  /** And of its last answer about those whom it watches. */
  watchedAt: number
}

const never = Number.NEGATIVE_INFINITY
const nothingTold: Told = { version: -1, scope: 'everybody', listAt: never, watchedAt: never }

const hearsChanges = ({ understands }: Connection) => understands.includes('presence-changes')
const word = (event: ServerEvent) => JSON.stringify(event)

/**
 * Words what a person's devices are told of who is online: a whole list, or what has changed.
 * What a person may see is read first; from there to the last frame nothing is waited for, so nothing falls between.
 */
export function createPresenceTeller(options: {
  presence: Presence
  connections: Connections
  directory: Pick<Directory, 'readSight'>
  views: Pick<PresenceViews, 'list'>
  readNow: () => PresenceNow
}) {
  const { presence, connections, directory, views, readNow } = options
  const told = new WeakMap<Connection, Told>()
  /** They wait for a list: their line was full, it was too early, or what they may see is another. */
  const owed = new Set<Connection>()
  /** What a device may see can be read after it has gone. */
  const gone = new WeakSet<Connection>()
  const counts = { lists: 0, frames: 0, bytes: 0 }
  /** Those who see everybody are told the same. */
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

  function describeList(viewerId: string, sight: Sight): string {
    const { isWhole, version } = readNow()
    if (!isWhole) {
      return wordList(
        [...views.list(viewerId)].filter((id) => presence.isOnline(id) && sight.sees(id)),
      )
    }
    if (!sight.seesAll) return wordList(presence.listOnline().filter(sight.sees))
    if (shared.listVersion !== version) {
      shared.list = wordList(presence.listOnline())
      shared.listVersion = version
    }
    return shared.list
  }

  function wordChange(userIds: readonly string[], isShown: (userId: string) => boolean): string {
    const online = userIds.filter(isShown)
    const offline = userIds.filter((userId) => !isShown(userId))
    return word({ event: 'presence-changed', data: { online, offline } })
  }

  function describeChange(news: PresenceNews, sight: Sight): string {
    const { userIds } = news
    if (!sight.seesAll) return wordChange(userIds.filter(sight.sees), presence.isOnline)
    if (shared.news !== news) {
      shared.change = wordChange(userIds, presence.isOnline)
      shared.news = news
    }
    return shared.change
  }

  /** @returns false when the line is too full to take it now */
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

  /** Has this device been told nothing of these news yet? One that is not greeted is told with its greeting. */
  function isDue(connection: Connection, { version }: PresenceNews): boolean {
    const before = told.get(connection)
    return before !== undefined && (owed.has(connection) || before.version < version)
  }

  async function tellListNow(connection: Connection) {
    const { userId } = connection.caller
    const sight = await directory.readSight(userId)
    tellList(connection, () => describeList(userId, sight))
  }

  return {
    /** Since the start: lists put together, frames and bytes told. */
    counts,

    /** Tells a device that has come its first list. */
    greet: tellListNow,

    /** Tells a device that asks; only if `isBehind` and not too early. */
    async answer(connection: Connection, isBehind: boolean) {
      const before = told.get(connection)
      if (!before || !(isBehind || owed.has(connection))) return
      if (performance.now() - before.listAt >= listEveryMs) await tellListNow(connection)
    },

    /** Tells a person's devices the news, or the lists that are owed to them. */
    async tell(viewerId: string, news: PresenceNews) {
      const isAnyDue = [...connections.listOf(viewerId)].some((one) => isDue(one, news))
      if (!isAnyDue) return
      const sight = await directory.readSight(viewerId)
      const isConcerned = news.userIds.some(sight.sees)
      const kept: { list?: string } = {}
      const readList = () => (kept.list ??= describeList(viewerId, sight))
      for (const connection of connections.listOf(viewerId)) {
        if (!isDue(connection, news)) continue
        if (owed.has(connection)) tellList(connection, readList)
        else if (!isConcerned) continue
        else if (!hearsChanges(connection)) tellList(connection, readList)
        else if (!send(connection, describeChange(news, sight))) owed.add(connection)
      }
    },

    /** Tells a device of people whom it did not watch before. */
    async tellWatched(connection: Connection, userIds: readonly string[]) {
      const before = told.get(connection)
      // Its greeting, or the list that is owed to it, holds them.
      if (!before || owed.has(connection)) return
      const isTooEarly = performance.now() - before.watchedAt < watchedEveryMs
      if (isTooEarly || !hearsChanges(connection)) return void owed.add(connection)
      before.watchedAt = performance.now()
      const sight = await directory.readSight(connection.caller.userId)
      // Who may not be seen is offline like others: silence would tell that somebody has blocked somebody.
      const isShown = (userId: string) => presence.isOnline(userId) && sight.sees(userId)
      const isSent = send(connection, wordChange(userIds, isShown))
      if (!isSent && !gone.has(connection)) owed.add(connection)
    },

    /** What was told to a person's devices does not hold any more: each is owed a list. */
    oweLists(viewerId: string) {
      for (const connection of connections.listOf(viewerId)) {
        if (told.has(connection)) owed.add(connection)
      }
    },

    /** People with a device that is owed a list. */
    listOwed: () => new Set([...owed].map(({ caller }) => caller.userId)),

    forget(connection: Connection) {
      gone.add(connection)
      owed.delete(connection)
      told.delete(connection)
    },
  }
}
