import { isDeepStrictEqual } from 'node:util'
import { retryOvertaken } from '../../lib/retry-overtaken.ts'
import { type Document, type Stored, withoutRev } from './documents.ts'
import { pick } from './draft-writes.ts'
import {
  type DatabaseWrite,
  type Part,
  type Transaction,
  TransactionFailed,
  type TransactionOutcome,
} from './transaction.ts'

/** The presumed stored documents by id: `undefined` for a document presumed missing. */
export type Belief = ReadonlyMap<string, Stored<Document> | undefined>

/** Databases that can only be read and written one at a time. */
export interface SingleDatabases {
  read(name: string, ids: readonly string[]): Promise<Map<string, Stored<Document>>>
  /** As `StoredDatabase.update`; `belief` saves the reading. */
  update(
    name: string,
    update: {
      ids: readonly string[]
      belief: Belief
      decide: (stored: ReadonlyMap<string, Document>) => Pick<
        DatabaseWrite,
        'put' | 'pushed' | 'tally'
      > & {
        result: boolean
      }
    },
  ): Promise<{ result: boolean; revs: ReadonlyMap<string, string> }>
}

const overtaken = {
  tries: 50,
  giveUp: () => new Error('a document changed under every try to write it'),
}

/**
 * A transaction over databases written one after the other, in the order of its writes, each only
 * while its documents are as `decide` saw them. A change meanwhile, also to what stays `unchanged`,
 * restarts it; earlier writes stay, and `decide` finds them.
 * @throws TransactionFailed names the database
 */
export async function transactInTurn<Result>(
  databases: SingleDatabases,
  transaction: Transaction<Result>,
): Promise<TransactionOutcome<Result>> {
  const { onChanged, onWritten } = transaction
  return await retryOvertaken(async (round) => {
    const seen = await readParts(databases, transaction, { isBelieved: round === 0 })
    const bodies = new Map([...seen].map(([name, belief]) => [name, toBodies(belief)]))
    // Every stored document was put there as a Body.
    const { writes, unchanged, result } = transaction.decide((name) => bodies.get(name) as never)
    const revs = new Map([...seen].map(([name, belief]) => [name, toRevs(belief)]))
    let changed: string | undefined
    for (const write of writes) {
      const outcome = await writeOne(databases, write, seen.get(write.name) ?? new Map())
      if (!outcome.result) {
        changed = write.name
        break
      }
      revs.set(write.name, new Map([...(revs.get(write.name) ?? []), ...outcome.revs]))
      await onWritten?.(write.name)
    }
    changed ??= await findChanged(databases, unchanged, seen)
    if (changed === undefined) return { result, revs: (name) => revs.get(name) ?? new Map() }
    await onChanged?.(changed)
    return 'again'
  }, overtaken)
}

/**
 * Two transactions that each read what the other writes would both miss the other's write: each
 * looks again after its own, so that the later one finds the earlier.
 * @returns a database with a document that is no longer as seen
 */
async function findChanged(
  databases: SingleDatabases,
  unchanged: readonly Pick<Part, 'name' | 'ids'>[] = [],
  seen: ReadonlyMap<string, Belief>,
): Promise<string | undefined> {
  for (const { name, ids } of unchanged) {
    const found = await databases.read(name, ids).catch(failOf(name))
    const belief = seen.get(name)
    if (ids.some((id) => found.get(id)?._rev !== belief?.get(id)?._rev)) return name
  }
  return undefined
}

async function writeOne(databases: SingleDatabases, write: DatabaseWrite, belief: Belief) {
  const { name, put = [], pushed = [], create = [], tally = 0 } = write
  const written = [...put, ...create]
  const ids = [...new Set([...written.map(({ _id }) => _id), ...pushed.map(({ id }) => id)])]
  const unchanged = pick(toBodies(belief), ids)
  return await databases
    .update(name, {
      ids,
      belief: new Map(ids.map((id) => [id, belief.get(id)])),
      decide: (stored) =>
        isDeepStrictEqual(stored, unchanged)
          ? { put: written, pushed, tally, result: true }
          : { result: false },
    })
    .catch((error: unknown) => {
      throw new TransactionFailed(name, error)
    })
}

async function readParts<Result>(
  databases: SingleDatabases,
  { parts }: Transaction<Result>,
  { isBelieved }: { isBelieved: boolean },
): Promise<Map<string, Belief>> {
  const wanted = new Map<string, { all: Set<string>; unknown: Set<string> }>()
  for (const { name, ids, isNew } of parts) {
    const ofName = wanted.get(name) ?? { all: new Set(), unknown: new Set() }
    wanted.set(name, ofName)
    for (const id of ids) {
      ofName.all.add(id)
      if (!isNew || !isBelieved) ofName.unknown.add(id)
    }
  }
  const seen = await Promise.all(
    [...wanted].map(async ([name, { all, unknown }]) => {
      const found =
        unknown.size > 0 ? await databases.read(name, [...unknown]).catch(failOf(name)) : new Map()
      return [name, new Map([...all].map((id) => [id, found.get(id)] as const))] as const
    }),
  )
  return new Map(seen)
}

function failOf(name: string) {
  return (error: unknown): never => {
    throw new TransactionFailed(name, error)
  }
}

function toBodies(belief: Belief): Map<string, Document> {
  return new Map([...belief].flatMap(([id, doc]) => (doc ? [[id, withoutRev(doc)]] : [])))
}

function toRevs(belief: Belief): Map<string, string> {
  return new Map([...belief].flatMap(([id, doc]) => (doc ? [[id, doc._rev]] : [])))
}
