import * as z from 'zod/mini'
import type { PushWatch } from './push-watch.ts'
import type { ServerDocument } from './server-versions.ts'
import { type Changes, readChanges, type Seq } from './sync-answers.ts'
import { createAdaptiveBatchSize } from './transport/adaptive-batch-size.ts'
import type { SyncCalls } from './transport/sync-calls.ts'

const prefix = 'group:'

/**
 * How far a device has stored the changes of each group. Flat, beside the place in the person's own
 * database: RxDB joins checkpoints field by field, so a source that moves leaves the others alone.
 */
export type GroupPlaces = { [group: `group:${string}`]: Seq }

const pageRows = { first: 50, least: 1, most: 500 }

/** Where each of the person's groups is, also of those that they left: what was written until then is theirs. */
const answeredPlaces = z.array(
  z.object({ groupId: z.string(), seq: z.union([z.string(), z.number()]) }),
)

/** Groups that have moved since this device stored their changes, each with its place by now. */
type Behind = Map<string, Seq>

/**
 * The changes of all groups: one request says where each is, however many there are, and only those
 * are asked that have moved.
 */
export function createGroupPull(options: {
  /** To the server's origin. */
  calls: SyncCalls
  pushes: Pick<PushWatch, 'isUnderWay' | 'onOver'>
  /** Begins another catch-up. */
  askAgain: () => void
}) {
  const { calls, pushes, askAgain } = options
  const page = createAdaptiveBatchSize(pageRows)
  /** What is left of this catch-up; undefined before its first request. */
  let behind: Behind | undefined
  /** Places up to which a group had nothing for this device: no checkpoint can say that. */
  const silent: Behind = new Map()
  let isCut = false

  pushes.onOver(() => {
    if (!isCut) return
    isCut = false
    askAgain()
  })

  async function findBehind(places: GroupPlaces): Promise<Behind> {
    const asked = await calls.offer(() => ({ path: 'api/groups/places' }), readGroupPlaces)
    // Whatever refuses it must not hold up the person's own database; the next catch-up asks again.
    if ('refusal' in asked) return new Map()
    const moved = asked.answer.filter(
      ({ groupId, seq }) =>
        !isSame(places[`${prefix}${groupId}`] ?? 0, seq) && !isSame(silent.get(groupId), seq),
    )
    return new Map(moved.map(({ groupId, seq }) => [groupId, seq]))
  }

  /** Undefined where the group lets this person in no more: that must not hold up the others. */
  async function askPage(groupId: string, since: Seq): Promise<Changes | undefined> {
    const describe = () => {
      const amount = page.size()
      const query = new URLSearchParams({
        style: 'all_docs',
        since: `${since}`,
        include_docs: 'true',
        bare: 'true',
        limit: `${amount}`,
      })
      return { path: `sync/groups/${groupId}/_changes?${query}`, size: { batchSize: page, amount } }
    }
    const asked = await calls.offer(describe, readChanges)
    if ('refusal' in asked) return undefined
    page.grow(asked.answer.results.length)
    return asked.answer
  }

  /** One page of one group. @returns what is new of it, and the place behind that */
  async function pullOne(
    behind: Behind,
    { groupId, since }: { groupId: string; since: Seq },
  ): Promise<{ documents: ServerDocument[]; place: Seq }> {
    const answer = await askPage(groupId, since)
    if (!answer) {
      behind.delete(groupId)
      return { documents: [], place: since }
    }
    const { results, last_seq } = answer
    // An arrival that may be the result of a push ends the page: RxDB would drop it.
    const firstHeld = results.findIndex(({ doc }) => pushes.isUnderWay(doc._id))
    const taken = firstHeld < 0 ? results : results.slice(0, firstHeld)
    if (firstHeld >= 0) isCut = true
    const place = firstHeld < 0 ? last_seq : (taken.at(-1)?.seq ?? since)
    const isOver = firstHeld >= 0 || results.length === 0 || isSame(place, behind.get(groupId))
    if (results.length === 0) silent.set(groupId, behind.get(groupId) ?? last_seq)
    if (isOver) behind.delete(groupId)
    return { documents: taken.map(({ doc }) => doc), place }
  }

  return {
    /** One page of changes after these places; an empty one is the end. */
    async pull(checkpoint: object): Promise<{ documents: ServerDocument[]; places: GroupPlaces }> {
      const places = readPlaces(checkpoint)
      behind ??= await findBehind(places)
      for (const groupId of [...behind.keys()]) {
        const since = places[`${prefix}${groupId}`] ?? 0
        const { documents, place } = await pullOne(behind, { groupId, since })
        if (documents.length > 0) return { documents, places: { [`${prefix}${groupId}`]: place } }
      }
      behind = undefined
      return { documents: [], places: {} }
    },
  }
}

export type GroupPull = ReturnType<typeof createGroupPull>

/** A LevelDB counts in numbers, and a checkpoint may have been read from a text. */
const isSame = (a: Seq | undefined, b: Seq | undefined) => String(a) === String(b)

function readGroupPlaces(body: unknown): z.infer<typeof answeredPlaces> | undefined {
  const read = answeredPlaces.safeParse(body)
  return read.success ? read.data : undefined
}

function readPlaces(checkpoint: object): GroupPlaces {
  return Object.fromEntries(Object.entries(checkpoint).filter(([key]) => key.startsWith(prefix)))
}
