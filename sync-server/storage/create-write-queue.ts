import { isDeepStrictEqual } from 'node:util'
import type { Document, Stored } from './documents.ts'
import type { PushedRevision } from './grow-branch.ts'
import type { Pouch } from './pouch.ts'
import { readDocuments } from './read-documents.ts'
import { type Write, writeDocuments } from './write-documents.ts'

/** What an update wants written, and what it tells its caller. A body with `_deleted: true` removes its document. */
interface Decision<Body extends Document, Result> {
  put?: readonly Body[]
  pushed?: readonly PushedRevision[]
  result: Result
}

/**
 * A pure function from the stored documents (by id, without `_rev`; absent ones are not in the map) to what is next.
 * It may run several times: whenever somebody else has written in between.
 */
export type Decide<Body extends Document, Result> = (
  stored: ReadonlyMap<string, Body>,
) => Decision<Body, Result>

export interface UpdateOutcome<Result> {
  result: Result
  /** The revision under which each of the asked documents lies now; absent ones are not in the map. */
  revs: ReadonlyMap<string, string>
}

interface Waiting {
  ids: readonly string[]
  decide: Decide<Document, unknown>
  resolve: (outcome: UpdateOutcome<unknown>) => void
  reject: (error: unknown) => void
  isSettled: boolean
}

const mostUpdatesAtOnce = 1000
const mostRounds = 50

/**
 * The one way in which documents of a database are written. Updates that come while a write is under way wait,
 * and are then done together: one read, the functions in turn, one write, one wait for the disk.
 * @param use runs work with the database open
 * @param onWritten called after each write, before its updates are answered; also after one that had nothing to write,
 *   while `isUnsure`: what it found may be what the failed one has stored
 * @param onUnsure called when a write failed, and nobody knows how much of it is stored
 * @param onIdle called when nothing waits any more
 */
export function createWriteQueue(options: {
  use: <Result>(work: (pouch: Pouch) => Promise<Result>) => Promise<Result>
  onWritten: (pouch: Pouch) => Promise<void>
  onUnsure: () => void
  isUnsure: () => boolean
  onIdle: () => void
}) {
  const waiting: Waiting[] = []
  const state = { isRunning: false }

  async function run() {
    state.isRunning = true
    while (waiting.length > 0) {
      const group = waiting.splice(0, mostUpdatesAtOnce)
      await writeApart(group)
    }
    state.isRunning = false
    options.onIdle()
  }

  /** What cannot be stored fails alone: the others of its group are tried without it. */
  async function writeApart(group: readonly Waiting[]) {
    try {
      await options.use((pouch) => writeGroup(pouch, group))
    } catch (error) {
      options.onUnsure()
      const left = group.filter((item) => !item.isSettled)
      const [only] = left
      if (only && left.length === 1) settle(only, () => only.reject(error))
      else for (const item of left) await writeApart([item])
    }
  }

  async function writeGroup(pouch: Pouch, group: readonly Waiting[]) {
    let rest = group
    for (let round = 0; rest.length > 0; round += 1) {
      if (round === mostRounds) throw new Error('a document changed under every try to write it')
      rest = await writeOnce(pouch, rest)
    }
  }

  /** @returns the updates that met a newer revision, made by another server */
  async function writeOnce(pouch: Pouch, group: readonly Waiting[]): Promise<Waiting[]> {
    const stored = await readDocuments(pouch, new Set(group.flatMap((item) => item.ids)))
    const bodies = new Map([...stored].map(([id, doc]) => [id, withoutRev(doc)]))
    const writes = new Map<string, Write>()
    const decided: { item: Waiting; result: unknown }[] = []
    for (const item of group) {
      try {
        decided.push({ item, result: applyDecision(item, bodies, writes) })
      } catch (error) {
        settle(item, () => item.reject(error))
      }
    }
    const outcome = await writeDocuments(pouch, stored, writes.values())
    if (outcome.written > 0 || options.isUnsure()) await options.onWritten(pouch)
    const conflicted: Waiting[] = []
    for (const { item, result } of decided) {
      if (item.ids.some((id) => outcome.conflicts.has(id))) conflicted.push(item)
      else settle(item, () => item.resolve({ result, revs: pick(outcome.revs, item.ids) }))
    }
    return conflicted
  }

  return {
    /** Resolves when what `decide` put is stored; rejects with what `decide` throws, and nothing of it is stored. */
    update<Body extends Document, Result>(
      ids: readonly string[],
      decide: Decide<Body, Result>,
    ): Promise<UpdateOutcome<Result>> {
      return new Promise((resolve, reject) => {
        // Each update gets back the result of its own function, so the types meet again here.
        const item = { ids, decide, resolve, reject, isSettled: false }
        waiting.push(item as unknown as Waiting)
        if (!state.isRunning) run().catch(reject)
      })
    },
    countWaiting: () => waiting.length,
  }
}

export type WriteQueue = ReturnType<typeof createWriteQueue>

function settle(item: Waiting, answer: () => void) {
  item.isSettled = true
  answer()
}

function applyDecision(item: Waiting, bodies: Map<string, Document>, writes: Map<string, Write>) {
  const { put = [], pushed = [], result } = item.decide(pick(bodies, item.ids))
  const foreign = put.find((body) => !item.ids.includes(body._id))
  if (foreign) throw new Error(`an update wrote ${foreign._id}, which it did not ask for`)
  for (const body of put.map(asJson)) {
    const before = bodies.get(body._id)
    if (isDeepStrictEqual(body, before) || (isTombstone(body) && !before)) continue
    if (isTombstone(body)) bodies.delete(body._id)
    else bodies.set(body._id, body)
    writes.set(body._id, { body, isChanged: true, pushed: writes.get(body._id)?.pushed ?? [] })
  }
  for (const one of pushed) {
    const body = bodies.get(one.id)
    const write = writes.get(one.id) ?? { body, isChanged: false, pushed: [] }
    if (body) writes.set(one.id, { ...write, body, pushed: [...write.pushed, one] })
  }
  return result
}

function isTombstone(body: Document & { _deleted?: boolean }): boolean {
  return body._deleted === true
}

function withoutRev(doc: Stored<Document>): Document {
  const { _rev, ...body } = doc
  return body
}

/** What a database gives back of it: fields that are undefined are not there. */
function asJson(body: Document): Document {
  const { _rev, ...rest } = JSON.parse(JSON.stringify(body))
  return rest
}

function pick<Value>(from: ReadonlyMap<string, Value>, ids: readonly string[]) {
  const picked = new Map<string, Value>()
  for (const id of ids) {
    const value = from.get(id)
    if (value !== undefined) picked.set(id, value)
  }
  return picked
}
