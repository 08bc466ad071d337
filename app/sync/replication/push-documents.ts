import { limits } from '../../../schema/limits.ts'
import { pause } from '../platform/back-off.ts'
import type { PushWatch } from './push-watch.ts'
import type { ServerDocument, ServerVersions } from './server-versions.ts'
import type { SetAside } from './set-aside.ts'
import { splitPush } from './split-push.ts'
import { readFound, readPushed } from './sync-answers.ts'
import { createAdaptiveBatchSize } from './transport/adaptive-batch-size.ts'
import type { SyncCalls } from './transport/sync-calls.ts'

/** In UTF-8 a character takes three bytes at most, or a pair of them four: this stays below the server's limit. */
const mostCharacters = 2_500_000
/** What comes with a minute of waiting on the slowest line; more only after it has been quick. */
const firstCharacters = 120_000
const leastCharacters = 10_000
/** So many documents are read at once after conflicts. */
const conflictsAtOnce = 100
/** What the server could not take now is offered again then. */
const offerAgainAfterMs = 5_000
/** Of what was refused so many parts are offered one after the other. */
const partsOfRefused = 4

/**
 * Offers documents to the server until it has answered each. Nothing is looked up before: the server's rule merges
 * whatever it is offered. What breaks off or is refused is offered in smaller parts, down to a single document; that one
 * is set aside then, and the others pass (P6).
 * @returns what the server holds in place of those that it did not take
 */
export function createPushDocuments(options: {
  calls: SyncCalls
  versions?: ServerVersions | undefined
  pushes: PushWatch
  setAside: SetAside
  signal: AbortSignal
}) {
  const { calls, versions, pushes, setAside, signal } = options
  const parcel = createAdaptiveBatchSize({
    first: firstCharacters,
    least: leastCharacters,
    most: mostCharacters,
  })
  const reading = createAdaptiveBatchSize({
    first: conflictsAtOnce,
    least: 1,
    most: conflictsAtOnce,
  })
  let pushing: Promise<unknown> = Promise.resolve()

  /** @param most so many documents */
  async function offerPart(texts: readonly string[], most: number) {
    function describe() {
      const { part } = splitPush(texts.slice(0, most), parcel.size())
      const body = `{"docs":[${part.join(',')}]}`
      const size = { batchSize: parcel, amount: body.length }
      return { path: '_bulk_docs', body, isPush: true, size, count: part.length }
    }
    const offered = await calls.offer(describe, readPushed)
    if ('answer' in offered) parcel.grow(offered.call.body.length)
    return offered
  }

  /** Offers each once. @returns the ids of those of which the server holds something else */
  async function offerAll(waiting: Map<string, string>): Promise<string[]> {
    const conflicts: string[] = []
    let most: number = limits.syncBatchMaxDocuments
    let left = [...waiting]
    while (left.length > 0) {
      const offered = await offerPart(
        left.map(([, text]) => text),
        most,
      )
      const { count } = offered.call
      const [first] = left
      if ('refusal' in offered) {
        // Which of them it is shows itself when they are offered alone.
        most = Math.max(1, Math.floor(count / partsOfRefused))
        if (count > 1 || !first) continue
        const [id, text] = first
        setAside.put(id, { ...offered.refusal, text })
        waiting.delete(id)
        most = limits.syncBatchMaxDocuments
      } else {
        for (const { id, ok, error } of offered.answer) {
          if (ok || error === 'conflict') setAside.drop(id)
          if (ok) waiting.delete(id)
          if (error === 'conflict') conflicts.push(id)
        }
        most = Math.min(most * partsOfRefused, limits.syncBatchMaxDocuments)
      }
      left = left.slice(count)
    }
    return conflicts
  }

  async function readConflicts(ids: readonly string[]): Promise<ServerDocument[]> {
    const found: ServerDocument[] = []
    let left = ids
    while (left.length > 0) {
      const describe = () => {
        const keys = left.slice(0, reading.size())
        const size = { batchSize: reading, amount: keys.length }
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
    const texts = documents.map((doc): [string, string] => [doc._id, JSON.stringify(doc)])
    const waiting = new Map(texts.filter(([id, text]) => !setAside.isHeld(id, text)))
    const found: ServerDocument[] = []
    if (waiting.size === 0) return found
    for (;;) {
      const conflicts = await offerAll(waiting)
      for (const stored of await readConflicts(conflicts)) {
        waiting.delete(stored._id)
        found.push(stored)
      }
      if (waiting.size === 0) return found
      await pause(offerAgainAfterMs, signal)
    }
  }

  return async (
    documents: readonly ServerDocument[],
    untilFree?: () => Promise<void>,
  ): Promise<ServerDocument[]> => {
    if (versions) await versions.untilPulled(signal)
    // Also of what need not leave: RxDB drops what comes until it has noted that.
    return await pushes.watch(
      documents.map(({ _id }) => _id),
      async () => {
        await untilFree?.()
        const offered = versions ? documents.filter((doc) => !versions.takeHeld(doc)) : documents
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
