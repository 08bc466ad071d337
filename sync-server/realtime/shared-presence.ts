import * as z from 'zod/mini'
import { limits } from '../../schema/limits.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import type { Presence } from './presence.ts'

const change = z.object({
  version: z.number(),
  joined: z.array(z.string()),
  left: z.array(z.string()),
})

const beat = z.object({ version: z.number() })

const all = z.object({ version: z.number(), online: z.array(z.string()) })

/** Batches changes within this time. */
const gatherMs = 50
const defaultBeatEveryMs = 5_000
/** A server silent this long is gone, and its people with it. */
const defaultSilentMs = 20_000

/**
 * Presence across all servers: each tells the others who is online with it. Messages are numbered,
 * so that a server that missed one requests the whole list; a server silent for 20 s is dropped.
 * @param presence who is online with this server
 * @param writeLastSeen for people of a server that crashed before it could
 */
export function createSharedPresence(options: {
  presence: Presence
  link: ServerLink
  writeLastSeen: (userIds: readonly string[], lastSeen: number) => Promise<void>
  onError: (error: unknown) => void
  beatEveryMs?: number
  silentMs?: number
}) {
  const { presence, link, writeLastSeen, onError } = options
  const { beatEveryMs = defaultBeatEveryMs, silentMs = defaultSilentMs } = options
  const listeners = new Set<(userIds: readonly string[]) => void>()
  const told = { version: 0, online: new Set<string>() }
  /** With any server. */
  const online = new Set<string>()
  const changed = new Set<string>()
  const state = {
    gathering: undefined as NodeJS.Timeout | undefined,
    dropping: undefined as NodeJS.Immediate | undefined,
  }
  const remote = createRemotePresence({
    onChanged: handleChanged,
    onMissed: (serverId) => link.tell(serverId, 'presence-ask', null),
  })

  function handleChanged(userIds: readonly string[]) {
    for (const userId of userIds) {
      if (isOnline(userId)) online.add(userId)
      else online.delete(userId)
    }
    for (const listener of listeners) listener(userIds)
  }

  function tellChange() {
    state.gathering = undefined
    const userIds = [...changed]
    changed.clear()
    const joined = userIds.filter((id) => presence.isOnline(id) && !told.online.has(id))
    const left = userIds.filter((id) => !presence.isOnline(id) && told.online.has(id))
    if (joined.length === 0 && left.length === 0) return
    told.version += 1
    for (const userId of joined) told.online.add(userId)
    for (const userId of left) told.online.delete(userId)
    link.publish('presence-change', { version: told.version, joined, left })
  }

  const describeAll = () => ({ version: told.version, online: [...told.online] })

  function dropSilent() {
    const gone = remote.dropSilent(performance.now() - silentMs)
    // While the link is down this server hears nothing, and nobody has gone.
    const left = link.isUp() ? gone.filter((userId) => !isOnline(userId)) : []
    const tell = () => handleChanged(left)
    if (left.length > 0)
      writeLastSeen(left, Date.now() - silentMs)
        .then(tell)
        .catch(onError)
  }

  const beating = setInterval(() => {
    link.publish('presence-beat', { version: told.version })
    // After a standstill of this process the timer is first, and what the others said still waits to be read.
    state.dropping = setImmediate(dropSilent)
  }, beatEveryMs).unref()

  const stopListening = [
    presence.onChanged((userIds) => {
      for (const userId of userIds) changed.add(userId)
      state.gathering ??= setTimeout(tellChange, gatherMs).unref()
      handleChanged(userIds)
    }),
    link.listen('presence-change', remote.handleChange),
    link.listen('presence-beat', remote.handleBeat),
    link.listen('presence-all', remote.handleAll),
    link.listen('presence-ask', (_data, from) => link.tell(from, 'presence-all', describeAll())),
    link.listen('presence-bye', (_data, from) => {
      // Its people are about to reconnect elsewhere: they get the usual time for it.
      remote.expectSilence(from, performance.now() - silentMs + limits.presenceGraceMs)
    }),
    link.onTurn((isUp) => {
      if (!isUp) return
      link.publish('presence-all', describeAll())
      link.publish('presence-ask', null)
    }),
  ]

  function isOnline(userId: string): boolean {
    return presence.isOnline(userId) || remote.isOnline(userId)
  }

  function drop() {
    clearInterval(beating)
    clearImmediate(state.dropping)
    clearTimeout(state.gathering)
    for (const stop of stopListening) stop()
    listeners.clear()
    online.clear()
    presence.drop()
  }

  return {
    ...presence,
    isOnline,
    listOnline: () => [...online],
    countOnline: () => online.size,
    /** Ids of the other servers that a person is connected to. */
    findServers: remote.findServers,
    onChanged(listener: (userIds: readonly string[]) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    drop,
    async close() {
      link.publish('presence-bye', null)
      const closed = presence.close()
      drop()
      await closed
    },
  }
}

interface Server {
  version: number
  online: Set<string>
  /** `performance.now()` of its last word. */
  heardAt: number
}

/**
 * Who is online with the other servers, by their messages.
 * @param onChanged called with people who came to or left one of them
 * @param onMissed this server missed a message: request the whole list from the sender
 */
function createRemotePresence(options: {
  onChanged: (userIds: readonly string[]) => void
  onMissed: (serverId: string) => void
}) {
  const { onChanged, onMissed } = options
  const servers = new Map<string, Server>()

  function setAll(from: string, version: number, online: Set<string>) {
    servers.set(from, { version, online, heardAt: performance.now() })
  }

  return {
    handleChange(data: unknown, from: string) {
      const { version, joined, left } = change.parse(data)
      const server = servers.get(from)
      if (server?.version !== version - 1) return onMissed(from)
      for (const userId of left) server.online.delete(userId)
      for (const userId of joined) server.online.add(userId)
      setAll(from, version, server.online)
      onChanged([...joined, ...left])
    },
    handleBeat(data: unknown, from: string) {
      const { version } = beat.parse(data)
      const server = servers.get(from)
      if (server?.version !== version) return onMissed(from)
      server.heardAt = performance.now()
    },
    handleAll(data: unknown, from: string) {
      const { version, online } = all.parse(data)
      const before = servers.get(from)?.online ?? new Set()
      const now = new Set(online)
      setAll(from, version, now)
      const left = [...before].filter((userId) => !now.has(userId))
      onChanged([...online.filter((userId) => !before.has(userId)), ...left])
    },
    /** Sets when a server was last heard. @param heardAt as of `performance.now()` */
    expectSilence(from: string, heardAt: number) {
      const server = servers.get(from)
      if (server) server.heardAt = heardAt
    },
    /** Forgets servers not heard since. @returns who was online with them */
    dropSilent(since: number): string[] {
      const gone: string[] = []
      for (const [serverId, { online, heardAt }] of servers) {
        if (heardAt >= since) continue
        servers.delete(serverId)
        gone.push(...online)
      }
      if (gone.length > 0) onChanged(gone)
      return gone
    },
    isOnline: (userId: string) => [...servers.values()].some(({ online }) => online.has(userId)),
    findServers: (userId: string) =>
      [...servers].filter(([, { online }]) => online.has(userId)).map(([serverId]) => serverId),
  }
}
