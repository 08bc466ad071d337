import * as z from 'zod/mini'
import { groupAnswer, groupPart, joinMembers } from '../../../schema/api/groups.ts'
import type { ServerEvent } from '../../../schema/api/socket-events.ts'
import type { OwnGroups, PulledGroup } from '../groups/own-groups.ts'
import type { PushWatch } from './push-watch.ts'
import type { ServerDocument } from './server-versions.ts'
import type { Seq } from './sync-answers.ts'
import { createAdaptiveBatchSize } from './transport/adaptive-batch-size.ts'
import type { SyncCalls } from './transport/sync-calls.ts'

const prefix = 'group:'

/**
 * How far a device has stored the changes of each group. Flat, beside the place in the person's own
 * database: RxDB joins checkpoints field by field, so a source that moves leaves the others alone.
 */
export type GroupPlaces = { [group: `group:${string}`]: Seq }

const pageRows = { first: 50, least: 1, most: 500 }

const seq = z.union([z.string(), z.number()])

/** Looser than the server's own: a message that this version cannot parse must not hold up the others. */
const answered = z.object({
  gone: z.optional(z.array(z.string())),
  groups: z.array(
    z.object({
      _id: z.string(),
      isMember: z.boolean(),
      group: z.optional(groupAnswer),
      part: z.optional(groupPart),
      results: z.array(z.object({ seq, doc: z.looseObject({ _id: z.string() }) })),
      last_seq: seq,
    }),
  ),
})
type Answered = z.infer<typeof answered>
type AnsweredGroup = Answered['groups'][number]

export type GroupChanged = Extract<ServerEvent, { event: 'group-changed' }>['data']
type HeardChanges = NonNullable<GroupChanged['changes']>

/** Of smaller groups the whole record is short. */
const membersTold = 50

/** A group's place up to which nothing lay for this device behind its checkpoint's place. */
interface PassedPlace {
  /** The checkpoint's; absent for none. Counts behind no other. */
  from?: Seq | undefined
  to: Seq
}
export type PassedPlaces = Readonly<Record<string, PassedPlace>>

/** More than these wait for one push or catch-up only if it hangs: then the server is asked. */
const heardMost = 100

/**
 * The changes of all groups, however many there are: one request says how far this device has each,
 * and only those that have moved are answered.
 */
export function createGroupPull(options: {
  /** To the server's origin. */
  calls: SyncCalls
  pushes: Pick<PushWatch, 'isUnderWay' | 'onOver'>
  /** Stores what became of groups. Comes before their messages, whose lists ask whose they are. */
  onGroups: (groups: readonly PulledGroup[]) => Promise<void>
  /** Does the server have groups? */
  isOn: () => boolean
  /** The groups that this device believes to be there: also one without a place may be over. */
  listMade: () => Promise<readonly string[]>
  /** The record that this device has of a group. */
  recordOf: OwnGroups['recordOf']
  /** Begins another catch-up. */
  askAgain: () => void
  /** Delivers what the line brought, without being asked. */
  give: (documents: readonly ServerDocument[], places: GroupPlaces) => void
  /** What became of a group could not be stored. */
  onFailed: (cause: unknown) => void
  /** What was passed over before this start, in the same epoch of the server. */
  passed?: PassedPlaces | undefined
  /** Keeps it for the next start. */
  keepPassed?: ((passed: PassedPlaces) => Promise<unknown>) | undefined
}) {
  const { calls, pushes, onGroups, isOn, listMade, recordOf, askAgain, give, onFailed } = options
  const { keepPassed = async () => {} } = options
  const page = createAdaptiveBatchSize(pageRows)
  /** Places behind which a group had nothing for this device: no checkpoint can say that. */
  const passed = new Map(Object.entries(options.passed ?? {}))
  /** How far each group was asked for, or given from the line. */
  const reached = new Map<string, Seq>()
  /** What the line brought and may not be given yet, in its order. */
  const heard = new Map<string, HeardChanges[]>()
  let giving: Promise<unknown> = Promise.resolve()
  let isBroken = false
  let isCut = false
  /** A catch-up may bring what the line brings, too, and then more of it follows. */
  let isPulling = true

  /**
   * Gives what follows on the place reached, up to a document that is being pushed. Not during a catch-up: its answer
   * may be newer, and what is given behind it would take back a deletion, or somebody's leaving.
   */
  function giveHeard(groupId: string) {
    if (isPulling) return
    const queue = heard.get(groupId) ?? []
    for (;;) {
      const place = reached.get(groupId)
      const number = readNumber(place) ?? Number.NEGATIVE_INFINITY
      const [first] = queue
      if (first && first.to <= number) {
        queue.shift()
        continue
      }
      if (!first || first.from > number) break
      if (first.docs.some(({ _id }) => pushes.isUnderWay(_id))) return
      queue.shift()
      const next = `${first.to}-${readTimes(place)}`
      reached.set(groupId, next)
      passed.delete(groupId)
      giving = giving
        .then(async () => {
          if (isBroken) return
          const { group: record, part, docs } = first
          if (record || part) await onGroups([{ groupId, isMember: true, record, part }])
          give(docs as unknown as ServerDocument[], { [`${prefix}${groupId}`]: next })
        })
        .catch((cause: unknown) => {
          isBroken = true
          onFailed(cause)
        })
    }
    heard.delete(groupId)
    // A catch-up has been elsewhere meanwhile.
    if (queue.length > 0) askAgain()
  }

  pushes.onOver(() => {
    for (const groupId of [...heard.keys()]) giveHeard(groupId)
    if (!isCut) return
    isCut = false
    askAgain()
  })

  async function ask(places: Map<string, Seq>): Promise<Answered> {
    const describe = () => {
      const amount = page.size()
      const body = JSON.stringify({
        since: Object.fromEntries(places),
        limit: amount,
        records: listRecords(places.keys()),
      })
      return { path: 'sync/groups/_changes', body, size: { batchSize: page, amount } }
    }
    const asked = await calls.offer(describe, readAnswer)
    // Whatever refuses it must not hold up the person's own database; the next catch-up asks again.
    if ('refusal' in asked) return { groups: [] }
    const rows = asked.answer.groups.reduce((sum, { results }) => sum + results.length, 0)
    page.grow(rows)
    return asked.answer
  }

  /** How far the members of large groups are known: what has changed of them is answered alone. */
  function listRecords(groupIds: Iterable<string>): Record<string, number> | undefined {
    const known = [...groupIds].flatMap((groupId): [string, number][] => {
      const { membersAt, members = [] } = recordOf(groupId) ?? {}
      return membersAt !== undefined && members.length >= membersTold ? [[groupId, membersAt]] : []
    })
    return known.length > 0 ? Object.fromEntries(known) : undefined
  }

  /** Has the line given more than an answer that was on its way? */
  function isBehind(groupId: string, place: Seq): boolean {
    const before = reached.get(groupId)
    return (
      before !== undefined &&
      readTimes(before) === readTimes(place) &&
      (readNumber(before) ?? 0) > (readNumber(place) ?? 0)
    )
  }

  function reach(groupId: string, place: Seq) {
    if (!isBehind(groupId, place)) reached.set(groupId, place)
  }

  /** Stores what an answer says of groups, behind what the line said before it. */
  async function storeGroups({ gone = [] }: Answered, groups: readonly AnsweredGroup[]) {
    const told = [
      ...groups.map(({ _id, isMember, group, part, last_seq }): PulledGroup => {
        // The line has said what the group became since: an earlier record would stay.
        if (isBehind(_id, last_seq)) return { groupId: _id, isMember }
        return { groupId: _id, isMember, record: group, part }
      }),
      ...gone.map((groupId): PulledGroup => ({ groupId, isMember: false, isOver: true })),
    ]
    const storing = giving.then(() => onGroups(told))
    giving = storing.catch(() => {})
    await storing
  }

  /** Where to ask on from: behind the checkpoint's place, and what was passed over from there. */
  function findPlaces(
    stored: ReadonlyMap<string, Seq>,
    unplaced: readonly string[],
  ): Map<string, Seq> {
    const places = new Map([...unplaced.map((id): [string, Seq] => [id, 0]), ...stored])
    for (const [groupId, { from, to }] of passed) {
      if (from === stored.get(groupId)) places.set(groupId, to)
      else passed.delete(groupId)
    }
    return places
  }

  /** What is new of one group, and the place behind that. */
  function take({ results, last_seq }: AnsweredGroup, since: Seq | undefined) {
    // An arrival that may be the result of a push ends the page: RxDB would drop it.
    const firstHeld = results.findIndex(({ doc }) => pushes.isUnderWay(doc._id))
    if (firstHeld < 0) return { taken: results, place: last_seq, isHeld: false }
    isCut = true
    const taken = results.slice(0, firstHeld)
    return { taken, place: taken.at(-1)?.seq ?? since, isHeld: true }
  }

  return {
    /** Takes what the line brought. @returns false where the server has to be asked */
    hear({ groupId, changes }: GroupChanged): boolean {
      if (!changes || !isOn()) return false
      const { part } = changes
      if (part && !joinMembers(recordOf(groupId), part)) return false
      const queue = heard.get(groupId) ?? []
      const place = queue.at(-1)?.to ?? readNumber(reached.get(groupId))
      const isNext = place === changes.from || isPulling
      if (!isNext || queue.length >= heardMost) return false
      heard.set(groupId, [...queue, changes])
      giveHeard(groupId)
      return true
    },
    /** One page of changes after these places; an empty one is the end. */
    async pull(checkpoint: object): Promise<{ documents: ServerDocument[]; places: GroupPlaces }> {
      if (!isOn()) return { documents: [], places: {} }
      isPulling = true
      const stored = new Map(readPlaces(checkpoint))
      const places = findPlaces(stored, await listMade())
      for (const [groupId, place] of places) reach(groupId, place)
      /** Held up by a push: asked again when it is over. */
      const held = new Set<string>()
      for (;;) {
        const answer = await ask(places)
        const groups = answer.groups.filter(({ _id }) => !held.has(_id))
        await storeGroups(answer, groups)
        const documents: ServerDocument[] = []
        const moved: GroupPlaces = {}
        for (const group of groups) {
          const { taken, place, isHeld } = take(group, places.get(group._id))
          if (isHeld) held.add(group._id)
          if (place === undefined) continue
          places.set(group._id, place)
          reach(group._id, place)
          if (taken.length === 0) {
            if (!isHeld) passed.set(group._id, { from: stored.get(group._id), to: place })
            continue
          }
          passed.delete(group._id)
          documents.push(...taken.map(({ doc }) => doc as ServerDocument))
          moved[`${prefix}${group._id}`] = place
        }
        if (documents.length > 0) return { documents, places: moved }
        if (groups.length > 0) {
          // What lies before a newcomer may be long: a start in the middle goes on from there.
          await keepPassed(Object.fromEntries(passed)).catch(() => {})
          continue
        }
        isPulling = false
        for (const groupId of [...heard.keys()]) giveHeard(groupId)
        return { documents, places: {} }
      }
    },
  }
}

export type GroupPull = ReturnType<typeof createGroupPull>

function readAnswer(body: unknown): Answered | undefined {
  const read = answered.safeParse(body)
  return read.success ? read.data : undefined
}

/** A place is the server's number, and how often its reader had come into the group. */
function readNumber(place: Seq | undefined): number | undefined {
  const [, number] = /^(\d{1,15})-\d+$/.exec(String(place)) ?? []
  return number === undefined ? undefined : Number(number)
}

const readTimes = (place: Seq | undefined) => String(place).split('-')[1]

function readPlaces(checkpoint: object): [string, Seq][] {
  return Object.entries(checkpoint).flatMap(([key, place]): [string, Seq][] =>
    key.startsWith(prefix) ? [[key.slice(prefix.length), place as Seq]] : [],
  )
}
