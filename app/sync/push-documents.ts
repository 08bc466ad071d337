import { limits } from '../../schema/limits.ts'
import { pause } from './create-back-off.ts'
import { createPortion } from './create-portion.ts'
import type { PushWatch } from './create-push-watch.ts'
import type { ServerDocument, ServerVersions } from './server-versions.ts'
import { splitPush } from './split-push.ts'
import { readFound, readPushed } from './sync-answers.ts'
import type { SyncCalls } from './sync-calls.ts'

/** In UTF-8 a character takes three bytes at most, or a pair of them four: this stays below the server's limit. */
const mostCharacters = 2_500_000
/** What comes with a minute of waiting on the slowest line; more only after it has been quick. */
const firstCharacters = 120_000
const leastCharacters = 10_000
/** So many documents are read at once after conflicts. */
const conflictsAtOnce = 100
/** What the server could not take now is offered again then. */
const offerAgainAfterMs = 5_000

/**
 * Offers documents to the server until it has answered each. Nothing is looked up before: the server's rule merges
 * whatever it is offered. What breaks off is offered in smaller parts, down to a single document.
 * @returns what the server holds in place of those that it did not take
 */
export function createPushDocuments(options: {
  calls: SyncCalls
  versions?: ServerVersions | undefined
  pushes: PushWatch
  signal: AbortSignal
}) {
  const { calls, versions, pushes, signal } = options
  const parcel = createPortion({
    ...{ first: firstCharacters, least: leastCharacters, most: mostCharacters },
  })
  const reading = createPortion({ first: conflictsAtOnce, least: 1, most: conflictsAtOnce })
  let pushing: Promise<unknown> = Promise.resolve()

  async function offerPart(texts: readonly string[]) {
    function describe() {
      const { part } = splitPush(texts.slice(0, limits.syncBatchMaxDocuments), parcel.size())
      const body = `{"docs":[${part.join(',')}]}`
      const size = { portion: parcel, amount: body.length }
      return { path: '_bulk_docs', body, isPush: true, size, count: part.length }
    }
    const { call, answer } = await calls.ask(describe, readPushed)
    parcel.grow(call.body.length)
    return { count: call.count, rows: answer }
  }

  async function readConflicts(ids: readonly string[]): Promise<ServerDocument[]> {
    const found: ServerDocument[] = []
    let left = ids
    while (left.length > 0) {
      const describe = () => {
        const keys = left.slice(0, reading.size())
        const size = { portion: reading, amount: keys.length }
        return { path: '_all_docs?include_docs=true', body: JSON.stringify({ keys }), size }
      }
      const { call, answer } = await calls.ask(describe, readFound)
      reading.grow(call.size.amount)
      found.push(...answer.map(withoutRev))
      left = left.slice(call.size.amount)
    }
    return found
  }

  async function offer(documents: readonly ServerDocument[]): Promise<ServerDocument[]> {
    const waiting = new Map(documents.map((doc) => [doc._id, JSON.stringify(doc)]))
    const found: ServerDocument[] = []
    for (;;) {
      const conflicts: string[] = []
      let left: readonly string[] = [...waiting.values()]
      while (left.length > 0) {
        const { count, rows } = await offerPart(left)
        for (const { id, ok } of rows) if (ok) waiting.delete(id)
        conflicts.push(...rows.flatMap(({ id, error }) => (error === 'conflict' ? [id] : [])))
        left = left.slice(count)
      }
      for (const stored of await readConflicts(conflicts)) {
        waiting.delete(stored._id)
        found.push(stored)
      }
      if (waiting.size === 0) return found
      await pause(offerAgainAfterMs, signal)
    }
  }

  return async (documents: readonly ServerDocument[]): Promise<ServerDocument[]> => {
    if (versions) await versions.untilPulled(signal)
    const offered = versions ? documents.filter((doc) => !versions.takeHeld(doc)) : documents
    return await pushes.watch(
      offered.map(({ _id }) => _id),
      async () => {
        // RxDB pushes all that waits side by side: on a slow line each would take the time of all.
        const own = pushing.then(() => offer(offered))
        pushing = own.catch(() => {})
        return await own
      },
    )
  }
}

function withoutRev({ _rev, ...document }: ServerDocument): ServerDocument {
  return { ...document, _deleted: false }
}
