import type { ServerEvent } from '../../schema/socket-events.ts'
import type { Directory } from '../access/create-directory.ts'
import type { Connection, Connections } from './create-connections.ts'
import type { Presence } from './create-presence.ts'

export type PresenceAnnouncer = ReturnType<typeof createPresenceAnnouncer>

const announceEveryMs = 1_000
/** With thousands online, the lists are told less often rather than filling every line with them. */
const bytesPerMs = 20_000

/**
 * Tells each connected person who is online, of those they may see: at once, and then at most once a second.
 * @param everyMs in place of the second
 */
export function createPresenceAnnouncer(options: {
  presence: Presence
  connections: Connections
  directory: Directory
  everyMs?: number | undefined
  onError: (error: unknown) => void
}) {
  const { presence, connections, directory, everyMs = announceEveryMs, onError } = options
  /** The list that each device was told last. Most of them are the same string in memory. */
  const told = new WeakMap<Connection, string>()
  const state = { timer: undefined as NodeJS.Timeout | undefined, isDue: false, isClosed: false }

  async function describeFor(viewerId: string, online: readonly string[], all: string) {
    const visible = await directory.filterVisible(viewerId, online)
    return visible.length === online.length ? all : describe(visible)
  }

  /** @returns false when the line is too full to take it now */
  function tell(connection: Connection, text: string): boolean {
    const isTold = connection.send(text)
    if (isTold) told.set(connection, text)
    return isTold
  }

  /** @returns how long the next announcement has to wait, in ms */
  async function announce(): Promise<number> {
    const online = presence.listOnline().sort()
    const all = describe(online)
    const viewerIds = connections.listUsers()
    for (const viewerId of viewerIds) {
      const text = await describeFor(viewerId, online, all)
      for (const connection of connections.listOf(viewerId)) {
        if (told.get(connection) !== text && !tell(connection, text)) state.isDue = true
      }
    }
    return Math.max(everyMs, (all.length * viewerIds.length) / bytesPerMs)
  }

  async function describeNow({ caller }: Connection) {
    const online = presence.listOnline().sort()
    return await describeFor(caller.userId, online, describe(online))
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
    /** Tells a device that has come what its person may know, unless it is told together with the others meanwhile. */
    async welcome(connection: Connection) {
      const text = await describeNow(connection)
      if (!told.has(connection)) tell(connection, text)
    },
    /** Tells a device that asks. */
    async answer(connection: Connection) {
      tell(connection, await describeNow(connection))
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
