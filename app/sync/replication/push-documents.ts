import { limits } from '../../../schema/limits.ts'
import { pause } from '../platform/back-off.ts'
import type { PushOrder } from './push-order.ts'
import type { PushWatch } from './push-watch.ts'
import type { ServerDocument, ServerVersions } from './server-versions.ts'
import type { SetAside } from './set-aside.ts'
import { type PushedRow, readFound, readPushed } from './sync-answers.ts'
import { createAdaptiveBatchSize } from './transport/adaptive-batch-size.ts'
import { type Refusal, type SyncCalls, unexplainedWords } from './transport/sync-calls.ts'

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
/**
 * So often a document is refused alone, with a push that passes after the first and after the last
 * time, before it is set aside: then neither trouble that begins or ends meanwhile, nor one of two
 * servers that takes turns, looks like a fault of the document.
 */
const refusalsMost = 3

/** What a group refuses for good, and stores nowhere (P6). */
export interface FinalRefusals {
  isFinal(refusal: Refusal): boolean
  /**
   * Resolves once the device has stored it: until then the document stays owed, or a crash would leave
   * it as sent to nobody.
   * @param offered the document that was refused, as JSON: it may have been changed since
   * @param isStored has the server an earlier version? Then that counts, and is about to come.
   */
  take(offered: string, refusal: Refusal, isStored: boolean): Promise<void>
  /**
   * What counts of a document whose source is gone, by the server's last known version of it.
   * @returns undefined where that says the same, or the server never had it
   */
  findLast(offered: string, known: ServerDocument): ServerDocument | undefined
}

/** What is known of a push. */
interface PushGiven {
  untilFree?: () => Promise<void>
  /** The server's last known version of each document. */
  servers?: ReadonlyMap<string, ServerDocument | undefined>
}

/**
 * Offers documents to the server until it has answered each, without looking anything up first: the
 * server's rule merges every offer. Splits a refused batch down to single documents. One that is
 * refused alone, while a push without documents passes, is set aside, as is one that the server
 * refuses by its row, so that the others pass (P6). While nothing passes, everything waits in its
 * order. Of documents that are
 * replaced while their push waits for the network, it offers what they are by then: withdrawn words
 * never leave.
 */
export function createPushDocuments(options: {
  calls: SyncCalls
  versions?: ServerVersions | undefined
  pushes: PushWatch
  setAside: SetAside
  order?: PushOrder | undefined
  /** The server has more room for this person than before. */
  onRoom?: (() => void) | undefined
  /** Why nothing of this source can pass after such a refusal; undefined where it says nothing of the source. */
  explainClosed?: ((refusal: Refusal) => Refusal | undefined) | undefined
  /** Why nothing of this source can pass, where the server has said so: then nothing is asked of it. */
  explainOver?: (() => Refusal | undefined) | undefined
  /** Refusals that no later offer would change, such as of words in a group that this person left. */
  refusals?: FinalRefusals | undefined
  signal: AbortSignal
}) {
  const { calls, versions, pushes, setAside, order, signal, onRoom = () => {} } = options
  const { explainClosed, explainOver, refusals: ends } = options
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
  /** What has refused everything for good: each further request would only delay the other pushes. */
  let closedBy: Refusal | undefined

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

  /**
   * Waits until a push without documents passes: until then nothing is known about any document.
   * @returns whether it passed immediately
   */
  async function untilOthersPass(): Promise<boolean> {
    const describe = () => ({ path: '_bulk_docs', body: '{"docs":[]}', isPush: true })
    for (let isFirst = true; ; isFirst = false) {
      const offered = await calls.offer(describe, readPushed)
      if ('refusal' in offered) continue
      // Whatever was set aside before may have suffered from the same trouble.
      if (!isFirst) setAside.release()
      return isFirst
    }
  }

  function findOver(): Refusal | undefined {
    closedBy = explainOver?.() ?? closedBy
    return closedBy && ends?.isFinal(closedBy) ? closedBy : undefined
  }

  /** Nothing counts any more but what the source had. @returns that, where it differs */
  async function close(
    texts: Iterable<readonly [string, string]>,
    { refusal, servers }: { refusal: Refusal } & Pick<PushGiven, 'servers'>,
  ): Promise<ServerDocument[]> {
    const last: ServerDocument[] = []
    for (const [id, text] of texts) {
      const known = servers?.get(id)
      const version = known && ends?.findLast(text, known)
      if (version) last.push(version)
      await ends?.take(text, refusal, version !== undefined)
      setAside.drop([id])
      order?.recordAnswered(id)
    }
    return last
  }

  /** Offers each once. @returns the ids of those that differ on the server, and what was refused for good */
  async function offerAll(waiting: Map<string, string>, servers: PushGiven['servers']) {
    const conflicts: string[] = []
    /** Last known versions, of a source that is gone. */
    const last: ServerDocument[] = []
    const final = new Map<string, { refusal: Refusal; text: string }>()
    let left = [...waiting]
    /** One of the first so many was refused. */
    let suspects = 0
    let refusals = 0
    while (left.length > 0) {
      const over = findOver()
      if (over) {
        last.push(...(await close(left, { refusal: over, servers })))
        for (const [id] of left) waiting.delete(id)
        break
      }
      const most = suspects > 1 ? Math.floor(suspects / 2) : Math.max(suspects, 1)
      const offered = await offerPart(left, suspects > 0 ? most : limits.syncBatchMaxDocuments)
      const { part } = offered.call
      const count = part.length
      // What has replaced one since it left was not refused.
      const sent = new Map(left.slice(0, count).map(([id], at) => [id, part[at] ?? '']))
      const refused = new Map<string, Refusal>()
      const closed = 'refusal' in offered ? explainClosed?.(offered.refusal) : undefined
      if (closed && ends?.isFinal(closed)) {
        closedBy = closed
        last.push(...(await close(sent, { refusal: closed, servers })))
        for (const id of sent.keys()) waiting.delete(id)
      } else if (closed) {
        for (const id of sent.keys()) refused.set(id, closed)
      } else if ('refusal' in offered) {
        // Offering fewer shows which one it is.
        suspects = count
        if (count > 1) continue
        refusals += 1
        // What is set aside already, and is refused once more, keeps nothing waiting.
        const isKnown = [...sent.keys()].every(setAside.has)
        if (!isKnown && (refusals === 1 || refusals === refusalsMost)) {
          const isAlone = await untilOthersPass()
          if (!isAlone) refusals = 1
        }
        if (!isKnown && refusals < refusalsMost) continue
        for (const id of sent.keys()) refused.set(id, offered.refusal)
      } else {
        const taken = offered.answer.filter(({ ok }) => ok).map(({ id }) => id)
        const differing = offered.answer.filter(isConflict).map(({ id }) => id)
        for (const id of taken) waiting.delete(id)
        conflicts.push(...differing)
        setAside.drop([...taken, ...differing])
        for (const id of [...taken, ...differing]) order?.recordAnswered(id)
        if (taken.some((id) => isDeletion(sent.get(id)))) onRoom()
        for (const row of offered.answer) {
          const text = sent.get(row.id)
          if (!isRefused(row) || text === undefined) continue
          const refusal = readRefusal(row)
          if (ends?.isFinal(refusal)) final.set(row.id, { refusal, text })
          else refused.set(row.id, refusal)
        }
      }
      setAside.put(
        new Map([...refused].map(([id, why]) => [id, { ...why, text: sent.get(id) ?? '' }])),
      )
      for (const id of refused.keys()) {
        waiting.delete(id)
        order?.recordRefused(id)
      }
      left = left.slice(count)
      suspects = Math.max(0, suspects - count)
      refusals = 0
    }
    return { conflicts, final, last }
  }

  /** @returns `unread`: the source is closed meanwhile, which the next offer of them tells */
  async function readConflicts(ids: readonly string[]) {
    const found: ServerDocument[] = []
    let left = ids
    while (left.length > 0) {
      const describe = () => {
        const keys = left.slice(0, reading.size())
        const size = { batchSize: reading, amount: keys.length }
        return { path: '_all_docs?include_docs=true', body: JSON.stringify({ keys }), size }
      }
      const asked = await calls.offer(describe, readFound)
      if ('refusal' in asked) {
        if (explainClosed?.(asked.refusal)) break
        continue
      }
      const { amount } = asked.call.size
      reading.grow(amount)
      found.push(...asked.answer.map(toRxDocument))
      left = left.slice(amount)
    }
    return { found, unread: new Set(left) }
  }

  async function offer(
    documents: readonly ServerDocument[],
    { begunAt, servers }: { begunAt: number } & Pick<PushGiven, 'servers'>,
  ): Promise<ServerDocument[]> {
    const isOffered = (document: ServerDocument) =>
      !setAside.isHeld(document._id, JSON.stringify(document))
    const free = order ? await order.takeFree(documents, { begunAt, isOffered }) : documents
    const waiting = new Map(
      free.filter(isOffered).map((doc): [string, string] => [doc._id, JSON.stringify(doc)]),
    )
    const found: ServerDocument[] = []
    if (waiting.size === 0) return found
    for (;;) {
      const { conflicts, final, last } = await offerAll(waiting, servers)
      found.push(...last)
      const { found: stored, unread } = await readConflicts([...conflicts, ...final.keys()])
      for (const [id, { refusal, text }] of final) {
        if (unread.has(id)) continue
        const isStored = stored.some(({ _id }) => _id === id)
        await ends?.take(text, refusal, isStored)
        waiting.delete(id)
        setAside.drop([id])
        order?.recordAnswered(id)
      }
      for (const document of stored) {
        waiting.delete(document._id)
        found.push(document)
      }
      if (waiting.size === 0) return found
      if (unread.size === 0) await pause(offerAgainAfterMs, signal)
    }
  }

  return {
    /** @returns the server's versions of documents that it did not accept */
    async push(
      documents: readonly ServerDocument[],
      { untilFree, servers }: PushGiven = {},
    ): Promise<ServerDocument[]> {
      const ids = documents.map(({ _id }) => _id)
      const end = begin(ids)
      const begunAt = order?.begin() ?? 0
      try {
        if (versions) await versions.untilPulled(signal)
        // Covers documents that need not be sent, too: RxDB drops arrivals until it has noted the
        // push.
        return await pushes.watch(ids, async () => {
          await untilFree?.()
          const offered = versions ? documents.filter((doc) => !versions.takeHeld(doc)) : documents
          // RxDB pushes all waiting documents in parallel: on a slow line each would take as long as
          // all.
          const own = pushing.then(() => offer(offered, { begunAt, servers }))
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

/** It makes room on the server. */
function isDeletion(text: string | undefined): boolean {
  return text !== undefined && 'deletedAt' in (JSON.parse(text) as object)
}

/** Only a reason with a code is meant for a person. */
function readRefusal({ code, reason }: PushedRow): Refusal {
  const words = code === undefined ? undefined : reason
  return { status: refusedRowStatus, words: words ?? unexplainedWords, code }
}

/** As RxDB keeps it: without the revision, and with its mark of a deletion. */
function toRxDocument({ _rev, ...document }: ServerDocument): ServerDocument {
  return { ...document, _deleted: false }
}

/**
 * Splits documents (JSON): as many as fit the given number of characters, at least one, and the
 * rest.
 */
export function splitPush(texts: readonly string[], most: number) {
  let room = most
  const end = texts.findIndex((text, at) => {
    room -= text.length
    return at > 0 && room < 0
  })
  const count = end < 0 ? texts.length : end
  return { part: texts.slice(0, count), rest: texts.slice(count) }
}
