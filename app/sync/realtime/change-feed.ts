import type {
  ClientEvent,
  ReplicatedDatabase,
  ServerEvent,
} from '../../../schema/api/socket-events.ts'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { orAborted, pause } from '../platform/back-off.ts'

type Changes = Extract<ServerEvent, { event: 'changes' }>['data']
type Seq = Changes['from']
type ServerDocument = Changes['docs'][number]

/** Changes after a place, as `_changes` answers them. */
export interface HeardChanges {
  results: { seq: Seq; doc: ServerDocument }[]
  last_seq: Seq
}

/** A device's position in one of its databases. */
export interface FollowedPlace {
  database: ReplicatedDatabase
  /** In the server's sequence, as `_changes` reported it. */
  since: string
  /** The server epoch of that sequence; undefined when the server named none. */
  epoch: string | undefined
  signal: AbortSignal
}

export type ChangeFeed = ReturnType<typeof createChangeFeed>

/** More untaken frames than this will not be needed for a long time: later requests fetch them. */
const framesKeptMost = 200
/** The shortest interval between follows, where the server often skips changes. */
const followEveryMs = 200

/** One database's position on this line. */
interface Followed {
  epoch: string | undefined
  /** The place handed over so far, and the place received so far. */
  given: Seq
  heard: Seq
  /** The newest version of each document in between. */
  docs: Map<string, ServerDocument>
  framesKept: number
  /** Resolves for all waiters when there is something, or the line is lost. */
  waiting?: { promise: Promise<void>; resolve: () => void } | undefined
}

/**
 * The server's writes to this person's databases, as they arrive over the socket, replacing a
 * waiting request. It only speeds things up (P7): whenever something may be missing it says so, and
 * the caller asks `_changes`.
 */
export function createChangeFeed({ send }: { send: (event: ClientEvent) => boolean }) {
  const followed = new Map<ReplicatedDatabase, Followed>()
  const followedAt = new Map<ReplicatedDatabase, number>()
  /** Those that the server may still follow for this device, also where a frame was lost. */
  const asked = new Set<ReplicatedDatabase>()
  let isOpen = false

  function wake(line: Followed) {
    line.waiting?.resolve()
    line.waiting = undefined
  }

  function lose(database: ReplicatedDatabase) {
    const before = followed.get(database)
    followed.delete(database)
    if (before) wake(before)
  }

  function loseAll() {
    for (const database of [...followed.keys()]) lose(database)
  }

  function handleChanges({ database, from, to, docs }: Changes) {
    const line = followed.get(database)
    if (!line) return
    if (line.heard !== from || line.framesKept >= framesKeptMost) return lose(database)
    line.heard = to
    line.framesKept += 1
    for (const doc of docs) {
      // Delivers documents in the order of their last change.
      line.docs.delete(doc._id)
      line.docs.set(doc._id, doc)
    }
    wake(line)
  }

  /** Frames keep their order, so a device at another place has lost one. */
  function handlePlaces(places: Extract<ServerEvent, { event: 'here' }>['data']) {
    for (const [database, { heard }] of [...followed]) {
      // No place: the server believes that this device knows of its gap.
      if (places[database] !== heard) lose(database)
    }
  }

  function findLine({ database, since, epoch }: FollowedPlace): Followed | undefined {
    const line = followed.get(database)
    return line?.given === readSeq(since) && line.epoch === epoch ? line : undefined
  }

  /** In whole ms; 0 when it may follow. */
  function waitBeforeFollow(database: ReplicatedDatabase): number {
    const at = followedAt.get(database) ?? Number.NEGATIVE_INFINITY
    const leftMs = at + followEveryMs - performance.now()
    // A timer may fire a part of a millisecond early.
    return leftMs < 1 ? 0 : Math.ceil(leftMs)
  }

  async function follow(place: FollowedPlace): Promise<Followed | undefined> {
    const { database, epoch, signal } = place
    const waitMs = waitBeforeFollow(database)
    if (waitMs > 0) await pause(waitMs, signal)
    // Meanwhile another line may have started, or this one may be gone.
    const line = findLine(place)
    if (line || !isOpen) return line
    // In a busy chat the place is stale by now: only one that was just asked for is worth following.
    if (waitMs > 0) return undefined
    lose(database)
    followedAt.set(database, performance.now())
    const since = readSeq(place.since)
    if (!send({ event: 'follow-changes', data: { database, since, epoch } })) return undefined
    asked.add(database)
    const begun = { epoch, given: since, heard: since, docs: new Map(), framesKept: 0 }
    followed.set(database, begun)
    return begun
  }

  return {
    /** The socket is open, and its server speaks the second version. */
    open() {
      isOpen = true
    },
    isOpen: () => isOpen,
    forget() {
      isOpen = false
      asked.clear()
      loseAll()
    },
    handle(event: ServerEvent) {
      if (event.event === 'changes') handleChanges(event.data)
      if (event.event === 'changes-missed') lose(event.data.database)
      if (event.event === 'here') handlePlaces(event.data)
    },
    /** This device asks for nothing more; each waiter ends by its own signal. */
    stop() {
      for (const database of asked) send({ event: 'follow-changes', data: { database } })
      asked.clear()
      followed.clear()
    },
    /**
     * Waits for changes after a place.
     * @returns undefined when the caller must ask `_changes`
     * @throws the reason of `signal`
     */
    async next(place: FollowedPlace): Promise<HeardChanges | undefined> {
      if (!isOpen) return undefined
      const line = findLine(place) ?? (await follow(place))
      if (!line) return undefined
      if (findLine(place) === line && line.heard === line.given) {
        line.waiting ??= createDeferred()
        await orAborted(line.waiting.promise, place.signal)
      }
      const isLost = isOpen && followed.get(place.database) !== line
      const waitMs = isLost ? waitBeforeFollow(place.database) : 0
      // Waits before the caller asks, not before it follows: the answer is then as new as can be.
      if (waitMs > 0) await pause(waitMs, place.signal)
      // Lost, or handed over to another waiter.
      if (findLine(place) !== line) return undefined
      const docs = [...line.docs.values()]
      line.docs.clear()
      line.framesKept = 0
      line.given = line.heard
      return { results: docs.map((doc) => ({ seq: line.heard, doc })), last_seq: line.heard }
    },
  }
}

/** LevelDB counts in numbers, CouchDB in opaque texts. */
function readSeq(text: string): Seq {
  return /^\d{1,15}$/.test(text) ? Number(text) : text
}
