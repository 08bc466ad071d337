import type { WithDeleted } from 'rxdb/plugins/core'
import { Subject } from 'rxjs'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { joinSignals } from '../../api/caller.ts'
import type { KeptDocuments } from '../inbox/kept-documents.ts'
import { orAborted, pause } from '../platform/back-off.ts'
import type { FollowedPlace, HeardChanges } from '../realtime/change-feed.ts'
import type { GroupPlaces, GroupPull } from './group-pull.ts'
import type { PullPace } from './pull-pace.ts'
import type { PushWatch } from './push-watch.ts'
import type { ServerDocument, ServerVersions } from './server-versions.ts'
import { type Changes, readChanges, type Seq } from './sync-answers.ts'
import { createAdaptiveBatchSize } from './transport/adaptive-batch-size.ts'
import type { SyncCall } from './transport/fetch-with-stall-timeout.ts'
import type { KnownEpoch } from './transport/known-epoch.ts'
import type { SyncCalls, SyncOutcome } from './transport/sync-calls.ts'
import type { Unparsed } from './unparsed.ts'

/** How far a device has stored the server's changes; RxDB keeps it. */
export interface PullCheckpoint extends GroupPlaces {
  /** In the person's own database. */
  sequence: Seq
}

/** The socket's changes of one database. */
export interface DatabaseFeed {
  isOpen(): boolean
  /** Undefined when the pull must ask the server. */
  next(place: Omit<FollowedPlace, 'database'>): Promise<HeardChanges | undefined>
}

export interface PullChangesOptions {
  calls: SyncCalls
  epoch: KnownEpoch
  /** While everything is offered again: what the server already holds. */
  versions?: ServerVersions | undefined
  pushes: PushWatch
  /** Delays a pull until the device has room for its result. */
  pace: PullPace
  /** The page size in documents on a good line. */
  pageRows: number
  /** The socket's changes of this database, replacing waiting requests. */
  feed?: DatabaseFeed | undefined
  /** What the service worker has fetched already: given first, and without the network. */
  kept?: KeptDocuments | undefined
  /** What an earlier version of the app could not parse: given next. */
  unparsed?: Unparsed | undefined
  /** The changes of this person's groups: pulled after those of their own database. */
  groups?: GroupPull | undefined
  /** Resolves when the device has stored what the pulls have given so far. */
  untilStored?: () => Promise<unknown>
  /** Begins another catch-up. */
  askAgain?: () => void
  /** Aborts when this replication ends. */
  signal: AbortSignal
  onOutcome: (outcome: SyncOutcome) => void
  /** How many changes are still to come, after each page; 0 when all are here. */
  onComing?: ((count: number) => void) | undefined
  /** A catch-up starts, or ends. */
  onCatchUp?: ((isUnderWay: boolean) => void) | undefined
}

/**
 * The first page is small to draw early: on a 5 kB/s line it takes two seconds, a full page half a
 * minute.
 */
const firstPageRows = 50
/**
 * From this many rows per answer, more are on their way: the next poll waits, so that they share
 * one write.
 */
const manyRows = 5
const gatherMs = 100
const heartbeatMs = 10_000
const gapRetryMs = 5_000

/**
 * The server's changes: in pages for the catch-up, then as they are written. Holds back documents
 * being pushed; the returned checkpoint stays before them, so a restart asks for them.
 */
export function createPullChanges<T>(options: PullChangesOptions) {
  const { calls, epoch, versions, pushes, pace, pageRows, feed, signal } = options
  const { onOutcome, onComing, onCatchUp, kept, unparsed, groups } = options
  const page = createAdaptiveBatchSize({
    first: Math.min(firstPageRows, pageRows),
    least: 1,
    most: pageRows,
  })
  const stream = new Subject<{ documents: WithDeleted<T>[]; checkpoint: PullCheckpoint }>()
  /** The newest version of each held-back document. */
  const held = new Map<string, ServerDocument>()
  const state = {
    /** How far the stream has read, and how far it has delivered everything. */
    taken: 0 as Seq,
    given: 0 as Seq,
    /** More is known to exist: no need to wait. */
    isBehind: false,
    /** Counts the stream's deliveries. */
    gifts: 0,
    /** The catch-up has just ended. */
    ended: undefined as { place: Seq; gifts: number } | undefined,
    hasTakenKept: false,
    isClosingGaps: false,
    /** The last page of the person's own database: nothing lies behind it, and nothing was cut off. */
    own: { isAll: false, isCut: false },
    /** The current catch-up: one runs at the start. */
    catchUp: createDeferred<void>() as ReturnType<typeof createDeferred<void>> | undefined,
    /** Aborts the stream's request: the catch-up asks for the same. */
    yieldToCatchUp: () => {},
  }

  onCatchUp?.(true)
  signal.addEventListener('abort', () => onCatchUp?.(false), { once: true })

  function beginCatchUp() {
    state.catchUp ??= createDeferred()
    onCatchUp?.(true)
    state.yieldToCatchUp()
  }

  /** The stream continues from there. Its held-back documents lie behind it, or were delivered. */
  function endCatchUp(place: Seq, isBehind: boolean) {
    Object.assign(state, { taken: place, given: place, isBehind })
    onCatchUp?.(false)
    state.catchUp?.resolve()
    state.catchUp = undefined
  }

  function describePage(since: Seq, canWait: boolean) {
    const amount = page.size()
    const waits = canWait && !feed?.isOpen()
    const query = new URLSearchParams({
      style: 'all_docs',
      feed: waits ? 'longpoll' : 'normal',
      since: `${since}`,
      // An older server and a CouchDB ignore `bare`, and send more.
      include_docs: 'true',
      bare: 'true',
      heartbeat: `${heartbeatMs}`,
      limit: `${amount}`,
    })
    return {
      path: `_changes?${query}`,
      size: { batchSize: page, amount },
      ...(waits && { heartbeatMs }),
    } satisfies SyncCall
  }

  async function askPage(
    since: Seq,
    options: { canWait: boolean; signal?: AbortSignal },
  ): Promise<Page> {
    const { canWait, ...ending } = options
    const describe = () => ({ ...describePage(since, canWait), ...ending })
    const { call, answer } = await calls.ask(describe, readChanges)
    page.grow(answer.results.length)
    versions?.record(answer.results.map(({ doc }) => doc))
    const isAll = answer.results.length < call.size.amount
    onComing?.(isAll ? 0 : (answer.pending ?? 0))
    return { ...answer, isAll }
  }

  function toPulled(documents: readonly ServerDocument[]): WithDeleted<T>[] {
    return documents.map(({ _rev, _deleted, ...document }) => {
      // The server's rule admits nothing else.
      return { ...(document as T), _deleted: _deleted === true }
    })
  }

  function record(place: Seq, count: number) {
    if (count > 0) pace.record({ place: String(place), count })
  }

  async function takeKept(kept: KeptDocuments): Promise<WithDeleted<T>[]> {
    // A device whose inbox cannot be read asks the server, as it does anyway.
    const documents = await kept.take(epoch.get()).catch(() => [])
    return toPulled(documents.filter(({ _id }) => !pushes.isUnderWay(_id)))
  }

  async function takeUnparsed(): Promise<WithDeleted<T>[]> {
    const documents = (await unparsed?.take(calls)) ?? []
    return toPulled(documents.filter(({ _id }) => !pushes.isUnderWay(_id)))
  }

  /**
   * Nothing is missing any more, once the last page is stored. Tries again after a failure: it may be
   * long until another catch-up ends, and until then the marks stay below the gap.
   */
  async function closeGaps() {
    if (state.isClosingGaps) return
    state.isClosingGaps = true
    try {
      while (kept?.isAhead() && !signal.aborted) {
        await options.untilStored?.()
        if (signal.aborted) return
        await kept.closeGaps().catch(() => pause(gapRetryMs, signal))
      }
    } finally {
      state.isClosingGaps = false
    }
  }

  /** All sources have given everything. */
  function recordWhole() {
    const { isAll, isCut } = state.own
    if (isAll) versions?.setPulled()
    if (isAll && !isCut) closeGaps().catch(() => {})
  }

  /** One page of the catch-up; RxDB continues until one is empty. */
  async function pull(checkpoint: PullCheckpoint | undefined) {
    const own = await pullOwn(checkpoint)
    if (!groups || own.documents.length > 0) return own
    const { documents, places } = await groups.pull(checkpoint ?? {})
    versions?.record(documents)
    if (documents.length === 0) recordWhole()
    return { documents: toPulled(documents), checkpoint: { ...own.checkpoint, ...places } }
  }

  async function pullOwn(
    checkpoint: PullCheckpoint | undefined,
  ): Promise<{ documents: WithDeleted<T>[]; checkpoint: PullCheckpoint }> {
    const since = checkpoint?.sequence ?? 0
    if (kept && !state.hasTakenKept) {
      state.hasTakenKept = true
      const documents = await takeKept(kept)
      // The same place as before: the server still gives all of it.
      if (documents.length > 0) return { documents, checkpoint: { sequence: since } }
    }
    const parsed = await takeUnparsed()
    if (parsed.length > 0) return { documents: parsed, checkpoint: { sequence: since } }
    const { ended } = state
    state.ended = undefined
    // RxDB drops what the stream delivered before this: ask for it again.
    if (ended?.place === since && ended.gifts === state.gifts) {
      return { documents: [], checkpoint: { sequence: since } }
    }
    beginCatchUp()
    await orAborted(pace.untilRoom(), signal)
    const { gifts } = state
    const { results, last_seq, isAll } = await askPage(since, { canWait: false })
    const firstHeld = results.findIndex(({ doc }) => pushes.isUnderWay(doc._id))
    const isCut = firstHeld >= 0
    const taken = isCut ? results.slice(0, firstHeld) : results
    const place = isCut ? (taken.at(-1)?.seq ?? since) : last_seq
    if (isCut || isAll) {
      if (taken.length > 0) state.ended = { place, gifts }
      endCatchUp(place, isCut)
    }
    state.own = { isAll, isCut }
    if (!groups) recordWhole()
    record(place, taken.length)
    return {
      documents: toPulled(taken.map(({ doc }) => doc)),
      checkpoint: { sequence: place },
    }
  }

  /**
   * New changes, unless a catch-up started meanwhile: it asks for the same, the two would share a
   * slow line, and the stream continues where it ends.
   */
  async function awaitNews(): Promise<Page | undefined> {
    const stop = new AbortController()
    state.yieldToCatchUp = () => stop.abort(new Error('A catch-up asks for this.'))
    const news = await findNews(joinSignals([signal, stop.signal]))
      .catch((error: unknown) => {
        if (stop.signal.aborted && !signal.aborted) return undefined
        throw error
      })
      .finally(() => stop.abort())
    return state.catchUp ? undefined : news
  }

  /** From the line while it is up, otherwise by a waiting request. */
  async function findNews(own: AbortSignal): Promise<Page> {
    const { taken } = state
    if (feed?.isOpen() && !state.isBehind) {
      // While the line is up the server is reachable, whatever happened to an earlier request.
      onOutcome('reached')
      const place = { since: String(taken), epoch: epoch.get(), signal: own }
      const heard = await feed.next(place)
      if (heard) {
        versions?.record(heard.results.map(({ doc }) => doc))
        return { ...heard, isAll: true }
      }
    }
    const asked = await askPage(taken, { canWait: !state.isBehind, signal: own })
    own.throwIfAborted()
    state.isBehind = !asked.isAll
    return asked
  }

  function give(documents: readonly ServerDocument[]) {
    if (held.size === 0) state.given = state.taken
    if (documents.length === 0) return
    state.gifts += 1
    record(state.given, documents.length)
    stream.next({ documents: toPulled(documents), checkpoint: { sequence: state.given } })
  }

  function take({ results, last_seq }: Page) {
    state.taken = last_seq
    const ready = results.flatMap(({ doc }) => {
      held.delete(doc._id)
      if (!pushes.isUnderWay(doc._id)) return [doc]
      held.set(doc._id, doc)
      return []
    })
    give(ready)
  }

  pushes.onOver(() => {
    if (held.size === 0 || signal.aborted) return
    const ready = [...held.values()].filter(({ _id }) => !pushes.isUnderWay(_id))
    for (const { _id } of ready) held.delete(_id)
    give(ready)
  })

  return {
    pull,
    stream$: stream.asObservable(),
    /** What the line brought of a group: after it this device is there in that group, and nowhere else. */
    giveGroup(documents: readonly ServerDocument[], places: GroupPlaces) {
      state.gifts += 1
      stream.next({ documents: toPulled(documents), checkpoint: places as PullCheckpoint })
    },
    /** Delivers new changes from the end of the catch-up. @throws the reason of the signal */
    async run(): Promise<never> {
      for (;;) {
        if (state.catchUp) await orAborted(state.catchUp.promise, signal)
        await orAborted(pace.untilRoom(), signal)
        const news = await awaitNews()
        if (!news) continue
        take(news)
        // A catch-up that was cut has its end here: another one, of an empty page, proves it.
        if (news.isAll && kept?.isAhead() && !versions) options.askAgain?.()
        if (news.isAll && news.results.length >= manyRows) await pause(gatherMs, signal)
      }
    },
  }
}

interface Page extends Changes {
  /** Nothing lies behind it. */
  isAll: boolean
}
