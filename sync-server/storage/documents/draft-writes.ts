import { isDeepStrictEqual } from 'node:util'
import { type Document, type Stored, withoutRev } from './documents.ts'
import type { PushedRevision } from './grow-branch.ts'
import type { Write } from './plan-writes.ts'
import type { DatabaseWrite } from './transaction.ts'

/** An update's wanted writes. A body with `_deleted: true` removes its document. */
export interface WantedWrites<Body extends Document = Document> {
  put?: readonly Body[]
  pushed?: readonly PushedRevision[]
  tally?: number
}

/**
 * One database's documents while functions decide in turn: each sees the puts of those before it.
 * @param stored the documents as read
 */
export function draftWrites(stored: ReadonlyMap<string, Stored<Document>>) {
  const bodies = new Map([...stored].map(([id, doc]) => [id, withoutRev(doc)]))
  const writes = new Map<string, Write>()

  const counted = { tally: 0 }

  return {
    stored,
    /** What these writes add to the database's tally. */
    tally: () => counted.tally,
    /** What to store: one write for each document. */
    writes,
    read: (ids: readonly string[]) => pick(bodies, ids),
    /** @throws Error for a document outside the requested ids */
    check(ids: readonly string[], { put = [] }: WantedWrites) {
      const own = new Set(ids)
      const foreign = put.find((body) => !own.has(body._id))
      if (foreign) throw new Error(`an update wrote ${foreign._id}, which it did not ask for`)
    },
    add({ put = [], pushed = [], create = [], tally = 0 }: Omit<DatabaseWrite, 'name'>) {
      counted.tally += tally
      for (const body of create.map(asJson)) {
        bodies.set(body._id, body)
        writes.set(body._id, { body, isChanged: true, pushed: [] })
      }
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
    },
  }
}

export type WriteDraft = ReturnType<typeof draftWrites>

/** The existing entries of these ids. */
export function pick<Value>(from: ReadonlyMap<string, Value>, ids: Iterable<string>) {
  const picked = new Map<string, Value>()
  for (const id of ids) {
    const value = from.get(id)
    if (value !== undefined) picked.set(id, value)
  }
  return picked
}

function isTombstone(body: Document & { _deleted?: boolean }): boolean {
  return body._deleted === true
}

/** The document as the database returns it: without undefined fields. */
function asJson(body: Document): Document {
  return dropUndefined(withoutRev(body))
}

/** Copies only what has an undefined field in it: a trip through text takes five times as long. */
function dropUndefined<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  let kept: Value | undefined
  for (const key of Object.keys(value) as (keyof Value)[]) {
    const field = value[key]
    const own = dropUndefined(field)
    if (field !== undefined && own === field) continue
    kept ??= (Array.isArray(value) ? [...value] : { ...value }) as Value
    if (own === undefined) delete kept[key]
    else kept[key] = own
  }
  return kept ?? value
}
