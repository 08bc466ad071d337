import type { ServerEvent } from '../../schema/socket-events.ts'
import type { Directory } from '../access/create-directory.ts'
import type { Connection, Connections } from './create-connections.ts'
import type { Presence } from './create-presence.ts'

export type PresenceAnnouncer = ReturnType<typeof createPresenceAnnouncer>

const everyMs = 1_000
/** With thousands online, the lists are told less often rather than filling every line with them. */
const bytesPerMs = 20_000

/** Tells each connected person who is online, of those they may see: at once, and then at most once a second. */
export function createPresenceAnnouncer(options: {
  presence: Presence
  connections: Connections
  directory: Directory
  onError: (error: unknown) => void
}) {
  const { presence, connections, directory, onError } = options
  /** The list that each person was told last. Most of them are the same string in memory. */
  const told = new Map<string, string>()
  const state = { timer: undefined as NodeJS.Timeout | undefined, isDue: false, isClosed: false }

  async function describeFor(viewerId: string, online: readonly string[], all: string) {
    const visible = await directory.filterVisible(viewerId, online)
    return visible.length === online.length ? all : describe(visible)
  }

  /** @returns how long the next announcement has to wait, in ms */
  async function announce(): Promise<number> {
    const online = presence.listOnline().sort()
    const all = describe(online)
    const viewerIds = connections.listUsers()
    const connected = new Set(viewerIds)
    for (const userId of told.keys()) if (!connected.has(userId)) told.delete(userId)
    for (const viewerId of viewerIds) {
      const text = await describeFor(viewerId, online, all)
      if (told.get(viewerId) === text) continue
      if (connections.tellText(viewerId, text)) told.set(viewerId, text)
      else state.isDue = true
    }
    return Math.max(everyMs, (all.length * viewerIds.length) / bytesPerMs)
  }

  async function run() {
    state.isDue = false
    const waitMs = await announce().catch((error: unknown) => {
      onError(error)
      return everyMs
    })
    if (!state.isClosed) state.timer = setTimeout(rest, waitMs).unref()
  }

  function rest() {
    state.timer = undefined
    if (state.isDue) request()
  }

  function request() {
    state.isDue = true
    if (!state.isClosed) state.timer ??= setTimeout(() => void run(), 0).unref()
  }

  return {
    /** Something has changed: everybody is told what they do not know yet. */
    request,
    /** Tells one device what its person may know. */
    async greet(connection: Connection) {
      const { userId } = connection.caller
      const online = presence.listOnline().sort()
      connection.send(await describeFor(userId, online, describe(online)))
      // This device knows now what another one of the same person was perhaps not told.
      told.delete(userId)
    },
    close() {
      state.isClosed = true
      clearTimeout(state.timer)
    },
  }
}

function describe(userIds: readonly string[]): string {
  const event: ServerEvent = { event: 'users-online', data: [...userIds] }
  return JSON.stringify(event)
}
