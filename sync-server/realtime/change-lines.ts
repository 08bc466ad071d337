import type {
  ClientEvent,
  ReplicatedDatabase,
  ServerEvent,
} from '../../schema/api/socket-events.ts'
import { limits } from '../../schema/limits.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../storage/documents/database-names.ts'
import type { Seq } from '../storage/documents/documents.ts'
import type { News } from '../storage/documents/signals.ts'
import type { Storage } from '../storage/storage.ts'
import type { Connection, Connections } from './connections.ts'
import { createFrameBudgets } from './frame-budgets.ts'

export type ChangeLines = ReturnType<typeof createChangeLines>

type Asked = Extract<ClientEvent, { event: 'follow-changes' }>['data']

/** Devices request anything larger: a line holds two such frames before it counts as full. */
const frameMaxCharacters = 32 * 1024
const retryAfterMs = 1_000
const lookAtOwedEveryMs = 100
/** When all have missed something, tell them in sequence: each then sends a request. */
const told = { eachMs: 2, allWithinMs: 3_000 }

/** One database that one device follows. */
interface Follower {
  connection: Connection
  database: ReplicatedDatabase
  name: string
  /** The epoch of its place, if it knows one. */
  epoch: string | undefined
  /** The device's place; undefined when it missed something and must ask. */
  at: Seq | undefined
}

const nameDatabase = {
  messages: nameMessagesDatabase,
  conversations: nameConversationsDatabase,
}

/**
 * Sends devices the changes of their databases, from memory, as they are written. Skips a full line
 * and tells it so; a device that missed something asks `_changes`, and follows again from there
 * (P7).
 */
export function createChangeLines(options: {
  storage: Pick<Storage, 'signals' | 'database'>
  connections: Pick<Connections, 'listAll'>
  /** The current epoch of a person's databases. */
  epochOf: (userId: string) => string
  /** The longest silence towards a device. */
  everyMs?: number | undefined
}) {
  const { storage, connections, epochOf, everyMs = limits.socketPingEveryMs } = options
  const { signals } = storage
  const byName = new Map<string, Set<Follower>>()
  const byConnection = new Map<Connection, Map<ReplicatedDatabase, Follower>>()
  /** When to tell each that it missed something; `performance.now()`. */
  const owed = new Map<Follower, number>()
  const state = { timer: undefined as NodeJS.Timeout | undefined }
  const budgets = createFrameBudgets()

  function send({ connection }: Follower, event: ServerEvent): boolean {
    return connection.send(JSON.stringify(event))
  }

  function tellMissed(follower: Follower) {
    follower.at = undefined
    owed.delete(follower)
    const { database } = follower
    if (!send(follower, { event: 'changes-missed', data: { database } })) owe(follower)
  }

  function owe(follower: Follower, afterMs = retryAfterMs) {
    if (!owed.has(follower)) owed.set(follower, performance.now() + afterMs)
    state.timer ??= setTimeout(payOwed, lookAtOwedEveryMs).unref()
  }

  function payOwed() {
    state.timer = undefined
    const now = performance.now()
    for (const [follower, dueAt] of [...owed]) if (dueAt <= now) tellMissed(follower)
    if (owed.size > 0) state.timer ??= setTimeout(payOwed, lookAtOwedEveryMs).unref()
  }

  function tell(name: string, seq: Seq, news: News | undefined) {
    const followers = byName.get(name)
    if (!followers) return
    const texts = new Map<string, string | undefined>()
    for (const follower of followers) {
      if (follower.at === undefined || follower.at === seq) continue
      if (!news || follower.at !== news.from) {
        tellMissed(follower)
        continue
      }
      const { database, connection } = follower
      if (!texts.has(database)) texts.set(database, writeChanges({ database, ...news, to: seq }))
      const text = texts.get(database)
      if (text !== undefined && connection.send(text)) follower.at = seq
      else tellMissed(follower)
    }
  }

  const stopListening = [
    signals.subscribe(tell),
    signals.onMissed(() => {
      const all = [...byName.values()].flatMap((each) => [...each])
      const withinMs = Math.min(all.length * told.eachMs, told.allWithinMs)
      // Until then each receives what is written here.
      for (const each of all) if (each.at !== undefined) owe(each, Math.random() * withinMs)
    }),
  ]

  function isOfOldEpoch({ connection, epoch }: Follower): boolean {
    return epoch !== undefined && epoch !== epochOf(connection.caller.userId)
  }

  /** This reveals a lost frame that no other frame follows. */
  const telling = setInterval(() => {
    for (const connection of connections.listAll()) {
      if (!connection.hasLine) continue
      const own = [...(byConnection.get(connection)?.values() ?? [])]
      // Another server may have raised it.
      for (const each of own) if (each.at !== undefined && isOfOldEpoch(each)) tellMissed(each)
      const places = own.map(({ database, at }) => [database, at])
      connection.send(JSON.stringify({ event: 'here', data: Object.fromEntries(places) }))
    }
  }, everyMs).unref()

  function drop(follower: Follower) {
    owed.delete(follower)
    const followers = byName.get(follower.name)
    followers?.delete(follower)
    if (followers?.size === 0) byName.delete(follower.name)
  }

  /**
   * Is `since` the newest place? A device may have seen a newer one on another server than is known
   * here.
   */
  async function isNewest(name: string, since: Seq): Promise<boolean> {
    if (signals.isAt(name, since)) return true
    const before = signals.lastSeq(name)
    const database = storage.database(name)
    // CouchDB spells one place in many ways, so only its changes tell.
    const isAtEnd =
      typeof since === 'number'
        ? (await database.updateSeq()) === since
        : (await database.changes({ since, limit: 1 })).results.length === 0
    if (isAtEnd) signals.observe(name, { before, seq: since, isSame: true })
    return isAtEnd
  }

  function takeUp(connection: Connection, asked: Asked, since: Seq): Follower {
    const { database, epoch } = asked
    const name = nameDatabase[database](connection.caller.userId)
    const follower: Follower = { connection, database, name, epoch, at: since }
    const own = byConnection.get(connection) ?? new Map<ReplicatedDatabase, Follower>()
    byConnection.set(connection, own.set(database, follower))
    const followers = byName.get(name) ?? new Set()
    byName.set(name, followers.add(follower))
    return follower
  }

  return {
    /** Starts sending this device the changes after `since`; without one, stops. */
    async follow(connection: Connection, asked: Asked) {
      if (!connection.hasLine) return
      const own = byConnection.get(connection)
      const before = own?.get(asked.database)
      if (before) drop(before)
      own?.delete(asked.database)
      const { since } = asked
      if (since === undefined) return
      const follower = takeUp(connection, asked, since)
      // Too many follows: answers later, at no cost; does not count against the frame budget.
      if (!budgets.takeFrame(connection.caller.userId)) {
        follower.at = undefined
        return owe(follower)
      }
      const isUpToDate =
        !isOfOldEpoch(follower) && (await isNewest(follower.name, since).catch(() => false))
      // It may have left meanwhile, or follow from another place.
      const isCurrent = byConnection.get(connection)?.get(asked.database) === follower
      if (isCurrent && !isUpToDate && follower.at === since) tellMissed(follower)
    },
    forget(connection: Connection) {
      for (const follower of byConnection.get(connection)?.values() ?? []) drop(follower)
      byConnection.delete(connection)
    },
    countFollowed: () => [...byName.values()].reduce((sum, { size }) => sum + size, 0),
    close() {
      clearTimeout(state.timer)
      clearInterval(telling)
      for (const stop of stopListening) stop()
      byName.clear()
      byConnection.clear()
      owed.clear()
    },
  }
}

/** @returns undefined when too long for a frame */
function writeChanges(data: {
  database: ReplicatedDatabase
  from: Seq
  to: Seq
  docs: News['docs']
}): string | undefined {
  const { docs, ...place } = data
  const texts: string[] = []
  let left = frameMaxCharacters
  for (const doc of docs) {
    const text = JSON.stringify(doc)
    left -= text.length
    if (left < 0) return undefined
    texts.push(text)
  }
  return `{"event":"changes","data":${JSON.stringify(place).slice(0, -1)},"docs":[${texts.join(',')}]}}`
}
