import { randomUUID } from 'node:crypto'
import pLimit from 'p-limit'
import type { Seq } from '../storage/documents/documents.ts'
import type { Measure, Replica } from '../storage/replica.ts'
import type { Storage } from '../storage/storage.ts'
import { raiseInstallation } from '../sync/epochs.ts'
import { type Fence, fencesDatabase, isFence, tellMoved } from './data-format.ts'

/** A move that cannot be made, or not to its end. `message`: what is wrong and what to do. */
export class MoveRefused extends Error {
  override name = 'MoveRefused'
}

/** A place of data, and how the operator knows it: without a login. */
export interface MovePlace {
  storage: Storage
  words: string
}

export interface MoveDone {
  databases: number
  documents: number
  revisions: number
  bytes: number
  digest: string
  /** Groups work only where a change and its line are one write. */
  groups: number
  seconds: number
}

/** How far each database is copied; only in the new place, and removed at the end. */
interface PlaceDocument {
  _id: string
  since: Seq
  measure?: Measure
}

const databasesAtOnce = 4
const placesDatabase = 'move-places'
const epochsDatabase = 'epochs'

/**
 * Copies all data to an empty place: every revision, file and count. Both places are fenced off
 * meanwhile, so that no server starts on a half; afterwards the old one stays so, as it was. Killed
 * anywhere, the next call goes on.
 * @param onProgress called before each database
 * @throws MoveRefused
 */
export async function moveData(options: {
  from: MovePlace
  to: MovePlace
  onProgress?: (progress: { database: string; done: number; of: number }) => void
  now?: () => number
}): Promise<MoveDone> {
  const { from, to, onProgress = () => undefined, now = Date.now } = options
  const startedAt = now()
  const places = to.storage.database<PlaceDocument>(placesDatabase)
  const move = await begin(from, to, now)
  const names = (await from.storage.list()).filter((name) => name !== placesDatabase)
  const measured = new Map<string, Measure>()

  async function copyOne(name: string) {
    const [source, target] = [from.storage.replica(name), to.storage.replica(name)]
    const before = (await places.read([name])).get(name)
    let since = before?.since ?? 0
    let measure = before?.measure
    for (;;) {
      const { rows, next } = await source.changes(since)
      if (rows.length === 0) break
      const wanted = rows.filter(({ id }) => isMoved(name, id))
      const missing = wanted.length === 0 ? [] : await target.findMissing(wanted)
      for await (const documents of source.read(missing)) await target.take(documents)
      since = next
      measure = undefined
      await setPlace({ _id: name, since })
    }
    const tally = await source.readTally()
    if (tally !== (await target.readTally())) await target.writeTally(tally)
    if (!measure) {
      measure = await compare(name, source, target)
      await setPlace({ _id: name, since, measure })
    }
    measured.set(name, measure)
  }

  /** Several at once: most of the time goes by waiting for answers. After a failure none begins. */
  async function copyAll(databases: readonly string[]) {
    const turn = pLimit(databasesAtOnce)
    const state = { done: 0, hasFailed: false }
    const copying = databases.map((database) =>
      turn(async () => {
        if (state.hasFailed) return
        onProgress({ database, done: state.done, of: databases.length + 1 })
        try {
          await copyOne(database)
          state.done += 1
        } catch (error) {
          state.hasFailed = true
          throw error
        }
      }),
    )
    const failed = (await Promise.allSettled(copying)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }

  const setPlace = (place: PlaceDocument) =>
    places.update([place._id], () => ({ put: [place], result: undefined }))

  async function compare(name: string, source: Replica, target: Replica): Promise<Measure> {
    const isWanted = (id: string) => isMoved(name, id)
    const [one, other] = await Promise.all([source.measure(isWanted), target.measure(isWanted)])
    if (one.digest === other.digest && one.documents === other.documents) return one
    throw new MoveRefused(
      `${name} is not the same in both places: ${describe(one)} in ${from.words}, ${describe(other)} in ${to.words}. ${from.words} is as it was. If a server runs on one of them, stop it and run this again; otherwise empty ${to.words} and begin again.`,
    )
  }

  /** Only a CouchDB has servers that nothing here can see. */
  async function requireSilence() {
    for (const name of names) {
      const place = (await places.read([name])).get(name)
      const { rows } = await from.storage.replica(name).changes(place?.since ?? 0)
      if (rows.some(({ id }) => isMoved(name, id))) {
        throw new MoveRefused(
          `Somebody wrote into ${from.words} meanwhile: a server still runs on it. Stop every one, and run this again: it goes on where it was.`,
        )
      }
    }
  }

  if (move.state !== 'moved') {
    const others = names.filter((name) => name !== epochsDatabase)
    await copyAll(others)
    onProgress({ database: epochsDatabase, done: others.length, of: others.length + 1 })
    // Sequence numbers begin again there: devices have to ask from the beginning.
    if (!move.isRaised) {
      await raiseInstallation(from.storage)
      await setFence(from.storage, { ...move, isRaised: true })
    }
    await copyOne(epochsDatabase)
    await requireSilence()
    await setFence(from.storage, { ...move, isRaised: true, state: 'moved', at: now() })
  } else {
    for (const { _id, measure } of await places.range({})) if (measure) measured.set(_id, measure)
  }
  await to.storage.destroy(placesDatabase)
  await removeFence(to.storage, 'arriving')
  return {
    ...sumUp([...measured.values()]),
    databases: names.length,
    groups: names.filter((name) => /^group-(?!order-)/.test(name)).length,
    seconds: (now() - startedAt) / 1000,
  }
}

/**
 * Lets servers start on a place again that data were moved from, or were about to be.
 * @returns where to; undefined where there was nothing to end
 */
export async function cancelMove(from: MovePlace): Promise<Fence | undefined> {
  const fence = await readFence(from.storage, 'leaving')
  if (!fence || fence.state === 'stays') return undefined
  await setFence(from.storage, { ...fence, state: 'stays', isRaised: false })
  return fence
}

async function begin(from: MovePlace, to: MovePlace, now: () => number): Promise<Fence> {
  const [leaving, half] = await Promise.all([
    readFence(from.storage, 'leaving'),
    readFence(from.storage, 'arriving'),
  ])
  if (half) {
    throw new MoveRefused(
      `${from.words} has only a part of what is moved there from ${half.place}. End that move first.`,
    )
  }
  if (!(await isUsed(from.storage))) {
    throw new MoveRefused(
      `There is nothing to move in ${from.words}. See DATA_DIR and COUCHDB_URL.`,
    )
  }
  const arriving = await readFence(to.storage, 'arriving')
  const isSame = arriving !== undefined && arriving.move === leaving?.move
  if (leaving?.state === 'moved' && !isSame) throw new MoveRefused(tellMoved(leaving))
  if (arriving && !isSame) {
    throw new MoveRefused(
      `${to.words} has a part of another move, from ${arriving.place}. End that one, or empty ${to.words}.`,
    )
  }
  if (!isSame && (await isUsed(to.storage))) {
    throw new MoveRefused(
      `There are data in ${to.words} already, and nothing there was changed. Name an empty place.`,
    )
  }
  const move: Fence = {
    ...(isSame ? leaving : { isRaised: false }),
    _id: 'leaving',
    move: isSame ? leaving.move : randomUUID(),
    place: to.words,
    state: isSame && leaving.state === 'moved' ? 'moved' : 'moving',
    at: now(),
  }
  // The old place first: nobody may write there once anything is copied.
  if (move.state !== 'moved') await setFence(from.storage, move)
  if (!isSame) await setFence(to.storage, { ...move, _id: 'arriving', place: from.words })
  return move
}

/** Is there anything of a server? Every version has begun with one of these. */
async function isUsed(storage: Storage): Promise<boolean> {
  const names = (await storage.list()).filter((name) =>
    /^(accounts|epochs|orders|(messages|conversations)-.*)$/.test(name),
  )
  for (const name of names) {
    if ((await storage.replica(name).changes(0)).rows.length > 0) return true
  }
  return false
}

const isMoved = (name: string, id: string) => name !== fencesDatabase || !isFence(id)

async function readFence(storage: Storage, id: Fence['_id']): Promise<Fence | undefined> {
  return (await storage.database<Fence>(fencesDatabase).read([id])).get(id)
}

async function setFence(storage: Storage, fence: Fence) {
  const put = [fence]
  await storage
    .database<Fence>(fencesDatabase)
    .update([fence._id], () => ({ put, result: undefined }))
}

async function removeFence(storage: Storage, _id: Fence['_id']) {
  const database = storage.database<Fence & { _deleted?: true }>(fencesDatabase)
  await database.update([_id], (stored) => {
    const fence = stored.get(_id)
    return { put: fence ? [{ ...fence, _deleted: true }] : [], result: undefined }
  })
}

function sumUp(measures: readonly Measure[]) {
  const sum = { documents: 0, revisions: 0, bytes: 0, digest: 0n }
  for (const { documents, revisions, bytes, digest } of measures) {
    sum.documents += documents
    sum.revisions += revisions
    sum.bytes += bytes
    sum.digest = BigInt.asUintN(256, sum.digest + BigInt(`0x${digest}`))
  }
  return { ...sum, digest: sum.digest.toString(16).padStart(64, '0') }
}

const describe = ({ documents, revisions, bytes }: Measure) =>
  `${documents} documents with ${revisions} revisions and ${bytes} bytes of files`
