import { limits } from '../../schema/limits.ts'
import type { ClientEvent, ReplicatedDatabase, ServerEvent } from '../../schema/socket-events.ts'
import type { News } from '../storage/create-signals.ts'
import type { Storage } from '../storage/create-storage.ts'
import { nameConversationsDatabase, nameMessagesDatabase } from '../storage/database-names.ts'
import type { Seq } from '../storage/documents.ts'
import type { Connection, Connections } from './create-connections.ts'

export type ChangeLines = ReturnType<typeof createChangeLines>

type Asked = Extract<ClientEvent, { event: 'follow-changes' }>['data']

/** What is larger is asked for, page by page. */
const frameMaxCharacters = 256 * 1024
const retryEveryMs = 1_000

/** One database that one device follows. */
interface Follower {
  connection: Connection
  database: ReplicatedDatabase
  name: string
  /** In which epoch it counts, where it knows of one. */
  epoch: string | undefined
  /** Where the device stands; undefined when it has missed something and has to ask. */
  at: Seq | undefined
}

const nameDatabase = {
  messages: nameMessagesDatabase,
  conversations: nameConversationsDatabase,
}

/**
 * Gives devices what is written into their databases, from memory, as it is written. A line that is too full goes
 * without and is told so; whoever has missed something asks `_changes`, and follows again from there (P7).
 */
export function createChangeLines(options: {
  storage: Pick<Storage, 'signals' | 'database'>
  connections: Pick<Connections, 'listAll'>
  /** In which epoch a person's databases count now. */
  epochOf: (userId: string) => string
  /** A device hears something at least so often. */
  everyMs?: number | undefined
}) {
  const { storage, connections, epochOf, everyMs = limits.socketPingEveryMs } = options
  const { signals } = storage
  const byName = new Map<string, Set<Follower>>()
  const byConnection = new Map<Connection, Map<ReplicatedDatabase, Follower>>()
  const owed = new Set<Follower>()
  const state = { timer: undefined as NodeJS.Timeout | undefined }

  function send({ connection }: Follower, event: ServerEvent): boolean {
    return connection.send(JSON.stringify(event))
  }

  function tellMissed(follower: Follower) {
    follower.at = undefined
    const { database } = follower
    if (send(follower, { event: 'changes-missed', data: { database } })) owed.delete(follower)
    else owe(follower)
  }

  function owe(follower: Follower) {
    owed.add(follower)
    state.timer ??= setTimeout(() => {
      state.timer = undefined
      for (const each of [...owed]) tellMissed(each)
    }, retryEveryMs).unref()
  }

  function tell(name: string, seq: Seq, news: News | undefined) {
    const followers = byName.get(name)
    if (!followers) return
    const texts = new Map<string, string>()
    for (const follower of followers) {
      if (follower.at === undefined || follower.at === seq) continue
      if (!news || follower.at !== news.from) {
        tellMissed(follower)
        continue
      }
      const { database, connection } = follower
      const text = texts.get(database) ?? writeChanges({ database, ...news, to: seq })
      texts.set(database, text)
      if (text.length <= frameMaxCharacters && connection.send(text)) follower.at = seq
      else tellMissed(follower)
    }
  }

  const stopListening = [
    signals.subscribe(tell),
    signals.onMissed(() => {
      for (const followers of byName.values()) {
        for (const follower of followers) if (follower.at !== undefined) tellMissed(follower)
      }
    }),
  ]

  function isOfOldEpoch({ connection, epoch }: Follower): boolean {
    return epoch !== undefined && epoch !== epochOf(connection.caller.userId)
  }

  /** A frame that was lost on the way, with none after it, is noticed by this. */
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

  /** Whether nothing lies behind `since`. What this server knows may be older than what the device has seen elsewhere. */
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

  return {
    /** This device stands at `since`, and is given what comes after. */
    async follow(connection: Connection, asked: Asked) {
      const { database, since, epoch } = asked
      const own = byConnection.get(connection) ?? new Map<ReplicatedDatabase, Follower>()
      byConnection.set(connection, own)
      const before = own.get(database)
      if (before) drop(before)
      const name = nameDatabase[database](connection.caller.userId)
      const follower: Follower = { connection, database, name, epoch, at: since }
      own.set(database, follower)
      const followers = byName.get(name) ?? new Set()
      byName.set(name, followers.add(follower))
      const isUpToDate = !isOfOldEpoch(follower) && (await isNewest(name, since).catch(() => false))
      // It may have gone meanwhile, or follow from elsewhere.
      const isCurrent = byConnection.get(connection)?.get(database) === follower
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

function writeChanges(data: {
  database: ReplicatedDatabase
  from: Seq
  to: Seq
  docs: News['docs']
}): string {
  return JSON.stringify({ event: 'changes', data } satisfies { event: 'changes'; data: unknown })
}
