import { isDeepStrictEqual } from 'node:util'
import type { Document, Stored } from '../documents.ts'
import { pick, withoutRev } from '../draft-writes.ts'
import type { Transaction, TransactionOutcome } from '../transaction.ts'
import type { Belief } from './write-queue.ts'
import type { WriteQueues } from './write-queues.ts'

type ReadIds = (name: string, ids: readonly string[]) => Promise<Map<string, Stored<Document>>>

const mostRounds = 50

/**
 * A transaction where databases can only be written one after the other: in the order of its writes, each only while
 * its documents are what `decide` has seen. Whatever has changed meanwhile begins it again; what it has written until
 * then stays, and `decide` finds it there.
 */
export async function transactInTurn<Result>(options: {
  transaction: Transaction<Result>
  queues: WriteQueues
  read: ReadIds
}): Promise<TransactionOutcome<Result>> {
  const { transaction, queues, read } = options
  for (let round = 0; round < mostRounds; round += 1) {
    const seen = await readParts(transaction, read, { isBelieved: round === 0 })
    const bodies = new Map([...seen].map(([name, belief]) => [name, toBodies(belief)]))
    const { writes, result } = transaction.decide(
      (name) => (bodies.get(name) ?? new Map()) as never,
    )
    const revs = new Map([...seen].map(([name, belief]) => [name, toRevs(belief)]))
    let isDone = true
    for (const { name, put = [], pushed = [] } of writes) {
      const belief = seen.get(name) ?? new Map()
      const ids = [...new Set([...put.map(({ _id }) => _id), ...pushed.map(({ id }) => id)])]
      const unchanged = pick(bodies.get(name) ?? new Map(), ids)
      const outcome = await queues.update(name, {
        ids,
        belief: new Map(ids.map((id) => [id, belief.get(id)])),
        decide: (stored) =>
          isDeepStrictEqual(stored, unchanged) ? { put, pushed, result: true } : { result: false },
      })
      if (!outcome.result) {
        isDone = false
        break
      }
      revs.set(name, new Map([...(revs.get(name) ?? []), ...outcome.revs]))
    }
    if (isDone) return { result, revs: (name) => revs.get(name) ?? new Map() }
  }
  throw new Error('a document changed under every try to write it')
}

async function readParts<Result>(
  { parts }: Transaction<Result>,
  read: ReadIds,
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
      const found = unknown.size > 0 ? await read(name, [...unknown]) : new Map()
      return [name, new Map([...all].map((id) => [id, found.get(id)] as const))] as const
    }),
  )
  return new Map(seen)
}

function toBodies(belief: Belief): Map<string, Document> {
  return new Map([...belief].flatMap(([id, doc]) => (doc ? [[id, withoutRev(doc)]] : [])))
}

function toRevs(belief: Belief): Map<string, string> {
  return new Map([...belief].flatMap(([id, doc]) => (doc ? [[id, doc._rev]] : [])))
}
