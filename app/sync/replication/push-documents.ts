import { limits } from '../../../schema/limits.ts'
import { pause } from '../platform/back-off.ts'
import type { PushWatch } from './push-watch.ts'
import type { ServerDocument, ServerVersions } from './server-versions.ts'
import type { SetAside } from './set-aside.ts'
import { splitPush } from './split-push.ts'
import { type PushedRow, readFound, readPushed } from './sync-answers.ts'
import { createAdaptiveBatchSize } from './transport/adaptive-batch-size.ts'
import type { Refusal, SyncCalls } from './transport/sync-calls.ts'

/**
 * UTF-8 needs at most three bytes per character, or four per surrogate pair: this stays below the
 * server's limit.
 */
const mostCharacters = 2_500_000
/** The limit for a minute's wait on the slowest line; more only after a quick push. */
const firstCharacters = 120_000
const leastCharacters = 10_000
/** Documents per read after conflicts. */
const conflictsAtOnce = 100
/** When to offer documents again that the server did not answer for. */
const offerAgainAfterMs = 5_000
/** CouchDB's status for `forbidden`. */
const refusedRowStatus = 403
const unexplained = "The server can't take this change. It's kept here and tried again later."
/** How many parts a refused batch is split into; the parts are offered in sequence. */
const partsOfRefused = 4

/**
 * Offers documents to the server until it has answered each, without looking anything up first: the
 * server's rule merges every offer. Splits a broken or refused batch down to single documents; sets
 * a refused one aside, alone or by its row, so that the others pass (P6). Of documents that are
 * replaced while their push waits for the network, it offers what they are by then: withdrawn words
 * never leave.
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

  /** How many running pushes each document is in. */
  const running = new Map<string, number>()
  /** What replaced documents since their push began. */
  const changed = new Map<string, string>()

  function begin(ids: readonly string[]): () => void {
    for (const id of ids) running.set(id, (running.get(id) ?? 0) + 1)
    return () => {
      for (const id of ids) {
        const left = (running.get(id) ?? 0) - 1
        if (left > 0) running.set(id, left)
        else {
          running.delete(id)
          changed.delete(id)
        }
      }
    }
  }

  /** @param most the maximum number of documents */
  async function offerPart(docs: readonly [string, string][], most: number) {
    function describe() {
      // Each try takes them as they are then.
      const texts = docs.slice(0, most).map(([id, text]) => changed.get(id) ?? text)
      const { part } = splitPush(texts, parcel.size())
      const body = `{"docs":[${part.join(',')}]}`
      const size = { batchSize: parcel, amount: body.length }
      return { path: '_bulk_docs', body, isPush: true, size, part }
    }
    const offered = await calls.offer(describe, readPushed)
    if ('answer' in offered) parcel.grow(offered.call.body.length)
    return offered
  }

  /** Offers each once. @returns the ids of those that differ on the server */
  async function offerAll(waiting: Map<string, string>): Promise<string[]> {
    const conflicts: string[] = []
    let most: number = limits.syncBatchMaxDocuments
    let left = [...waiting]
    while (left.length > 0) {
      const offered = await offerPart(left, most)
      const { part } = offered.call
      const count = part.length
      // What has replaced one since it left was not refused.
      const sent = new Map(left.slice(0, count).map(([id], at) => [id, part[at] ?? '']))
      const refused = new Map<string, Refusal>()
      if ('refusal' in offered) {
        // Offering them one by one shows which one it is.
        most = Math.max(1, Math.floor(count / partsOfRefused))
        if (count > 1) continue
        for (const id of sent.keys()) refused.set(id, offered.refusal)
        most = limits.syncBatchMaxDocuments
      } else {
        const taken = offered.answer.filter(({ ok }) => ok).map(({ id }) => id)
        const differing = offered.answer.filter(isConflict).map(({ id }) => id)
        for (const id of taken) waiting.delete(id)
        conflicts.push(...differing)
        setAside.drop([...taken, ...differing])
        for (const row of offered.answer) {
          if (isRefused(row) && sent.has(row.id)) refused.set(row.id, readRefusal(row))
        }
        most = Math.min(most * partsOfRefused, limits.syncBatchMaxDocuments)
      }
      setAside.put(
        new Map([...refused].map(([id, why]) => [id, { ...why, text: sent.get(id) ?? '' }])),
      )
      for (const id of refused.keys()) waiting.delete(id)
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
      found.push(...answer.map(toRxDocument))
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

  return {
    /** @returns the server's versions of documents that it did not accept */
    async push(
      documents: readonly ServerDocument[],
      untilFree?: () => Promise<void>,
    ): Promise<ServerDocument[]> {
      const ids = documents.map(({ _id }) => _id)
      const end = begin(ids)
      try {
        if (versions) await versions.untilPulled(signal)
        // Covers documents that need not be sent, too: RxDB drops arrivals until it has noted the
        // push.
        return await pushes.watch(ids, async () => {
          await untilFree?.()
          const offered = versions ? documents.filter((doc) => !versions.takeHeld(doc)) : documents
          // RxDB pushes all waiting documents in parallel: on a slow line each would take as long as
          // all.
          const own = pushing.then(() => offer(offered))
          pushing = own.catch(() => {})
          return await own
        })
      } finally {
        end()
      }
    },
    isRunning: (id: string) => running.has(id),
    /** Offers this version from now on. RxDB pushes it later too. */
    replace(document: ServerDocument) {
      if (running.has(document._id)) changed.set(document._id, JSON.stringify(document))
    },
  }
}

const isConflict = ({ error }: PushedRow) => error === 'conflict'

/** The server holds nothing of it, not even the refusal: more room or a change may let it pass. */
const isRefused = ({ ok, error }: PushedRow) => !ok && error !== undefined && error !== 'conflict'

/** Only a reason with a code is meant for a person. */
function readRefusal({ code, reason }: PushedRow): Refusal {
  const words = code === undefined ? undefined : reason
  return { status: refusedRowStatus, words: words ?? unexplained }
}

/** As RxDB keeps it: without the revision, and with its mark of a deletion. */
function toRxDocument({ _rev, ...document }: ServerDocument): ServerDocument {
  return { ...document, _deleted: false }
}
