import pLimit from 'p-limit'
import type { Directory } from '../access/directory.ts'
import type { Connection, Connections } from './connections.ts'

/**
 * Few at a time, and none while somebody waits to get in: after a restart everybody reconnects at
 * once.
 */
const readingsAtOnce = 2
/**
 * Receipts write conversations all the time, and a device that shows a new chat watches its person
 * anyway.
 */
const readAgainMs = 30_000

export type PresenceViews = ReturnType<typeof createPresenceViews>

interface Reading {
  /** When a change last caused a read: `performance.now()` */
  againAt: number
  first: Promise<void>
  again: NodeJS.Timeout | undefined
}

/**
 * Who each connected person hears of, when not everybody hears of everybody: people they chat with,
 * and those their devices watch. Reads conversations in the background, on connection and on
 * change.
 * @param onFound called with newly found contacts
 */
export function createPresenceViews(options: {
  directory: Pick<Directory, 'listContacts' | 'onConversationsWritten'>
  connections: Pick<Connections, 'listOf'>
  onFound: (viewerId: string, userIds: readonly string[]) => void
  onError: (error: unknown) => void
}) {
  const { directory, connections, onFound, onError } = options
  const contacts = createReverseIndex<string>()
  const watched = createReverseIndex<Connection>()
  const readings = new Map<string, Reading>()
  const turn = pLimit(readingsAtOnce)
  const held = { count: 0, waiting: [] as (() => void)[] }

  async function waitWhileHeld() {
    while (held.count > 0) await new Promise<void>((resolve) => held.waiting.push(resolve))
  }

  async function readContacts(viewerId: string, reading: Reading) {
    const isWanted = () => readings.get(viewerId) === reading
    if (isWanted()) await waitWhileHeld()
    if (!isWanted()) return
    const found = await directory.listContacts(viewerId)
    if (!isWanted()) return
    const fresh = contacts.set(viewerId, found)
    if (fresh.length > 0) onFound(viewerId, fresh)
  }

  const read = (viewerId: string, reading: Reading) =>
    turn(() => readContacts(viewerId, reading)).catch(onError)

  function readAgain(viewerId: string) {
    const reading = readings.get(viewerId)
    if (!reading || reading.again) return
    const dueMs = Math.max(0, reading.againAt + readAgainMs - performance.now())
    reading.again = setTimeout(() => {
      reading.again = undefined
      reading.againAt = performance.now()
      void read(viewerId, reading)
    }, dueMs).unref()
  }

  function close(viewerId: string) {
    clearTimeout(readings.get(viewerId)?.again)
    readings.delete(viewerId)
    contacts.remove(viewerId)
  }

  function closeAll() {
    for (const viewerId of [...readings.keys()]) close(viewerId)
  }

  const stopListening = directory.onConversationsWritten(readAgain)

  return {
    /** Reads who a person chats with. */
    async open(viewerId: string): Promise<void> {
      const known = readings.get(viewerId)
      if (known) return await known.first
      const againAt = Number.NEGATIVE_INFINITY
      const reading: Reading = { againAt, first: Promise.resolve(), again: undefined }
      readings.set(viewerId, reading)
      reading.first = read(viewerId, reading)
      await reading.first
    },

    /** Delays new reads until the returned function is called. */
    hold(): () => void {
      held.count += 1
      return () => {
        held.count -= 1
        if (held.count === 0) for (const begin of held.waiting.splice(0)) begin()
      }
    },

    /** Forgets a person's contacts. */
    close,

    closeAll,

    /** @returns the people that the device did not watch before */
    watch: (connection: Connection, userIds: readonly string[]): string[] =>
      watched.set(connection, new Set(userIds)),
    unwatch: (connection: Connection) => watched.remove(connection),

    /** Everybody that a person may hear of; visibility is checked elsewhere. */
    list(viewerId: string): Set<string> {
      const listed = new Set([viewerId, ...contacts.idsOf(viewerId)])
      for (const connection of connections.listOf(viewerId)) {
        for (const userId of watched.idsOf(connection)) listed.add(userId)
      }
      return listed
    },

    /** Calls back for everybody who hears of one of these people. */
    forConcerned(userIds: Iterable<string>, record: (viewerId: string, userId: string) => void) {
      for (const userId of userIds) {
        record(userId, userId)
        for (const viewerId of contacts.ownersOf(userId)) record(viewerId, userId)
        for (const { caller } of watched.ownersOf(userId)) record(caller.userId, userId)
      }
    },

    stop() {
      stopListening()
      closeAll()
    },
  }
}

/** Which ids each owner has, and who has an id. */
export function createReverseIndex<Owner>() {
  const idsOf = new Map<Owner, ReadonlySet<string>>()
  const ownersOf = new Map<string, Set<Owner>>()
  const none: ReadonlySet<never> = new Set()

  function drop(owner: Owner, id: string) {
    const owners = ownersOf.get(id)
    owners?.delete(owner)
    if (owners?.size === 0) ownersOf.delete(id)
  }

  function add(owner: Owner, id: string) {
    const owners = ownersOf.get(id) ?? new Set()
    owners.add(owner)
    ownersOf.set(id, owners)
  }

  return {
    /** Replaces an owner's ids by `ids`, which must stay unchanged. @returns the new ones */
    set(owner: Owner, ids: ReadonlySet<string>): string[] {
      const before = idsOf.get(owner) ?? none
      const fresh = [...ids].filter((id) => !before.has(id))
      for (const id of before) if (!ids.has(id)) drop(owner, id)
      for (const id of fresh) add(owner, id)
      if (ids.size > 0) idsOf.set(owner, ids)
      else idsOf.delete(owner)
      return fresh
    },
    remove(owner: Owner) {
      for (const id of idsOf.get(owner) ?? none) drop(owner, id)
      idsOf.delete(owner)
    },
    clear() {
      idsOf.clear()
      ownersOf.clear()
    },
    idsOf: (owner: Owner): ReadonlySet<string> => idsOf.get(owner) ?? none,
    ownersOf: (id: string): ReadonlySet<Owner> => ownersOf.get(id) ?? none,
    countIds: () => ownersOf.size,
  }
}
