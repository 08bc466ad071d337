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

/** What was written after a place, as `_changes` answers it. */
export interface HeardChanges {
  results: { seq: Seq; doc: ServerDocument }[]
  last_seq: Seq
}

/** Where a device stands in one of its databases. */
export interface FollowedPlace {
  database: ReplicatedDatabase
  /** In the server's counting, as `_changes` has told it. */
  since: string
  /** In which epoch of the server that counts; undefined when it has told none. */
  epoch: string | undefined
  signal: AbortSignal
}

export type ChangeFeed = ReturnType<typeof createChangeFeed>

/** More frames than these nobody takes for a long time: what they bring is asked for when it is wanted. */
const framesKeptMost = 200
/** Where much is written that the server cannot hand over, each place is old at once. */
const followEveryMs = 200

/** Where one database stands on this line. */
interface Followed {
  epoch: string | undefined
  /** Up to where it was handed over, and up to where it was heard. */
  given: Seq
  heard: Seq
  /** The newest version of each document in between. */
  docs: Map<string, ServerDocument>
  framesKept: number
  /** Resolves for all who wait, when there is something or the line is lost. */
  waiting?: { promise: Promise<void>; resolve: () => void } | undefined
}

/**
 * What the server writes into this person's databases, as it comes over the socket: in place of a request that waits.
 * It only hurries (P7): whenever something may be missing it says so, and `_changes` is asked.
 */
export function createChangeFeed({ send }: { send: (event: ClientEvent) => boolean }) {
  const followed = new Map<ReplicatedDatabase, Followed>()
  const followedAt = new Map<ReplicatedDatabase, number>()
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
      // What is handed over stands in the order of its last change.
      line.docs.delete(doc._id)
      line.docs.set(doc._id, doc)
    }
    wake(line)
  }

  /** Frames keep their order, so whoever does not stand there has lost one. */
  function handlePlaces(places: Extract<ServerEvent, { event: 'here' }>['data']) {
    for (const [database, { heard }] of [...followed]) {
      // No place: the server believes that this device knows of having missed something.
      if (places[database] !== heard) lose(database)
    }
  }

  function findLine({ database, since, epoch }: FollowedPlace): Followed | undefined {
    const line = followed.get(database)
    return line?.given === readSeq(since) && line.epoch === epoch ? line : undefined
  }

  async function follow(place: FollowedPlace): Promise<Followed | undefined> {
    const { database, epoch, signal } = place
    const elapsedMs = performance.now() - (followedAt.get(database) ?? Number.NEGATIVE_INFINITY)
    if (elapsedMs < followEveryMs) await pause(followEveryMs - elapsedMs, signal)
    // Another may have begun meanwhile, or the line have gone.
    const line = findLine(place)
    if (line || !isOpen) return line
    lose(database)
    followedAt.set(database, performance.now())
    const since = readSeq(place.since)
    if (!send({ event: 'follow-changes', data: { database, since, epoch } })) return undefined
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
      loseAll()
    },
    handle(event: ServerEvent) {
      if (event.event === 'changes') handleChanges(event.data)
      if (event.event === 'changes-missed') lose(event.data.database)
      if (event.event === 'here') handlePlaces(event.data)
    },
    /** This device asks for nothing more; whoever still waits is ended by its own signal. */
    stop() {
      for (const database of followed.keys()) send({ event: 'follow-changes', data: { database } })
      followed.clear()
    },
    /**
     * Waits for what comes after a place.
     * @returns undefined where `_changes` has to be asked
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
      // Lost, or handed over to another that waited for the same.
      if (findLine(place) !== line) return undefined
      const docs = [...line.docs.values()]
      line.docs.clear()
      line.framesKept = 0
      line.given = line.heard
      return { results: docs.map((doc) => ({ seq: line.heard, doc })), last_seq: line.heard }
    },
  }
}

/** LevelDB counts in numbers, CouchDB in texts that only it can read. */
function readSeq(text: string): Seq {
  return /^\d{1,15}$/.test(text) ? Number(text) : text
}
