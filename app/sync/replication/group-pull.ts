import * as z from 'zod/mini'
import { groupAnswer } from '../../../schema/api/groups.ts'
import type { PulledGroup } from '../groups/own-groups.ts'
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
      results: z.array(z.object({ seq, doc: z.looseObject({ _id: z.string() }) })),
      last_seq: seq,
    }),
  ),
})
type Answered = z.infer<typeof answered>
type AnsweredGroup = Answered['groups'][number]

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
  /** Begins another catch-up. */
  askAgain: () => void
}) {
  const { calls, pushes, onGroups, isOn, askAgain } = options
  const page = createAdaptiveBatchSize(pageRows)
  /** Places behind which a group had nothing for this device: no checkpoint can say that. */
  const passed = new Map<string, Seq>()
  let isCut = false

  pushes.onOver(() => {
    if (!isCut) return
    isCut = false
    askAgain()
  })

  async function ask(places: Map<string, Seq>): Promise<Answered> {
    const describe = () => {
      const amount = page.size()
      const body = JSON.stringify({ since: Object.fromEntries(places), limit: amount })
      return { path: 'sync/groups/_changes', body, size: { batchSize: page, amount } }
    }
    const asked = await calls.offer(describe, readAnswer)
    // Whatever refuses it must not hold up the person's own database; the next catch-up asks again.
    if ('refusal' in asked) return { groups: [] }
    const rows = asked.answer.groups.reduce((sum, { results }) => sum + results.length, 0)
    page.grow(rows)
    return asked.answer
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
    /** One page of changes after these places; an empty one is the end. */
    async pull(checkpoint: object): Promise<{ documents: ServerDocument[]; places: GroupPlaces }> {
      if (!isOn()) return { documents: [], places: {} }
      const places = new Map([...readPlaces(checkpoint), ...passed])
      /** Held up by a push: asked again when it is over. */
      const held = new Set<string>()
      for (;;) {
        const answer = await ask(places)
        const groups = answer.groups.filter(({ _id }) => !held.has(_id))
        await onGroups([
          ...groups.map(({ _id, isMember, group }) => ({ groupId: _id, isMember, record: group })),
          ...(answer.gone ?? []).map((groupId) => ({ groupId, isMember: false })),
        ])
        const documents: ServerDocument[] = []
        const moved: GroupPlaces = {}
        for (const group of groups) {
          const { taken, place, isHeld } = take(group, places.get(group._id))
          if (isHeld) held.add(group._id)
          if (place === undefined) continue
          places.set(group._id, place)
          if (taken.length === 0) {
            if (!isHeld) passed.set(group._id, place)
            continue
          }
          passed.delete(group._id)
          documents.push(...taken.map(({ doc }) => doc as ServerDocument))
          moved[`${prefix}${group._id}`] = place
        }
        if (documents.length > 0) return { documents, places: moved }
        if (groups.length === 0) return { documents, places: {} }
      }
    },
  }
}

export type GroupPull = ReturnType<typeof createGroupPull>

function readAnswer(body: unknown): Answered | undefined {
  const read = answered.safeParse(body)
  return read.success ? read.data : undefined
}

function readPlaces(checkpoint: object): [string, Seq][] {
  return Object.entries(checkpoint).flatMap(([key, place]): [string, Seq][] =>
    key.startsWith(prefix) ? [[key.slice(prefix.length), place as Seq]] : [],
  )
}
