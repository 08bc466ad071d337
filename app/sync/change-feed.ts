import { createDeferred } from '../../schema/create-deferred.ts'
import type { ClientEvent, ReplicatedDatabase, ServerEvent } from '../../schema/socket-events.ts'
import { orAborted } from './create-back-off.ts'

type Changes = Extract<ServerEvent, { event: 'changes' }>['data']
type Seq = Changes['from']
type ServerDocument = Changes['docs'][number]

/** What was written after a place, as `_changes` answers it. */
export interface HeardChanges {
  results: { id: string; seq: Seq; changes: { rev: string }[]; doc: ServerDocument }[]
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

/** Nobody has taken so much for a long time: it is asked for again when it is wanted. */
const keptMost = 2_000

/** Where one database stands on this line. */
interface Followed {
  epoch: string | undefined
  /** Up to where it was handed over, and up to where it was heard. */
  given: Seq
  heard: Seq
  /** The newest version of each document in between. */
  docs: Map<string, ServerDocument>
  waiting?: { promise: Promise<void>; resolve: () => void } | undefined
}

/**
 * What the server writes into this person's databases, as it comes over the socket: in place of a request that waits.
 * It only hurries (P7): whenever something may be missing it says so, and `_changes` is asked.
 */
export function createChangeFeed({ send }: { send: (event: ClientEvent) => boolean }) {
  const followed = new Map<ReplicatedDatabase, Followed>()
  let isOpen = false

  function lose(database: ReplicatedDatabase) {
    const before = followed.get(database)
    followed.delete(database)
    before?.waiting?.resolve()
  }

  function loseAll() {
    for (const database of [...followed.keys()]) lose(database)
  }

  function hearChanges({ database, from, to, docs }: Changes) {
    const line = followed.get(database)
    if (!line) return
    if (line.heard !== from || line.docs.size + docs.length > keptMost) return lose(database)
    line.heard = to
    for (const doc of docs) {
      // What is handed over stands in the order of its last change.
      line.docs.delete(doc._id)
      line.docs.set(doc._id, doc)
    }
    line.waiting?.resolve()
  }

  /** Frames keep their order, so whoever does not stand there has lost one. */
  function hearPlaces(places: Extract<ServerEvent, { event: 'here' }>['data']) {
    for (const [database, { heard }] of [...followed]) {
      // No place: the server believes that this device knows of having missed something.
      if (places[database] !== heard) lose(database)
    }
  }

  function follow({ database, epoch, ...place }: Omit<FollowedPlace, 'signal'>) {
    const since = readSeq(place.since)
    const before = followed.get(database)
    if (before?.given === since && before.epoch === epoch) return before
    lose(database)
    const line: Followed = { epoch, given: since, heard: since, docs: new Map() }
    followed.set(database, line)
    if (send({ event: 'follow-changes', data: { database, since, epoch } })) return line
    lose(database)
    return undefined
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
    hear(event: ServerEvent) {
      if (event.event === 'changes') hearChanges(event.data)
      if (event.event === 'changes-missed') lose(event.data.database)
      if (event.event === 'here') hearPlaces(event.data)
    },
    /**
     * Waits for what comes after a place.
     * @returns undefined where `_changes` has to be asked
     * @throws the reason of `signal`
     */
    async next({ signal, ...place }: FollowedPlace): Promise<HeardChanges | undefined> {
      const { database } = place
      const line = isOpen ? follow(place) : undefined
      if (!line) return undefined
      if (line.heard === line.given) {
        line.waiting = createDeferred()
        await orAborted(line.waiting.promise, signal)
        line.waiting = undefined
      }
      if (followed.get(database) !== line) return undefined
      const docs = [...line.docs.values()]
      line.docs.clear()
      line.given = line.heard
      return { results: docs.map((doc) => describeChange(doc, line.heard)), last_seq: line.heard }
    },
  }
}

function describeChange(doc: ServerDocument, seq: Seq) {
  return { id: doc._id, seq, changes: [{ rev: doc._rev }], doc }
}

/** LevelDB counts in numbers, CouchDB in texts that only it can read. */
function readSeq(text: string): Seq {
  return /^\d{1,15}$/.test(text) ? Number(text) : text
}
