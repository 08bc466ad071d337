import * as z from 'zod/mini'

const change = z.object({
  version: z.number(),
  joined: z.array(z.string()),
  left: z.array(z.string()),
})
const beat = z.object({ version: z.number() })
const all = z.object({ version: z.number(), online: z.array(z.string()) })

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
export function createRemotePresence(options: {
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
