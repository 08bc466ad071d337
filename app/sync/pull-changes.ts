import type { WithDeleted } from 'rxdb/plugins/core'
import { Subject } from 'rxjs'
import { createDeferred } from '../../schema/create-deferred.ts'
import type { FollowedPlace, HeardChanges } from './change-feed.ts'
import { orAborted, pause } from './create-back-off.ts'
import { createPortion } from './create-portion.ts'
import type { PullPace } from './create-pull-pace.ts'
import type { PushWatch } from './create-push-watch.ts'
import type { KnownEpoch } from './known-epoch.ts'
import type { ServerDocument, ServerVersions } from './server-versions.ts'
import { type Changes, readChanges, type Seq } from './sync-answers.ts'
import type { SyncCall, SyncCalls, SyncOutcome } from './sync-calls.ts'

/** Up to where a device has stored what the server has; RxDB keeps it. */
export interface PullCheckpoint {
  sequence: Seq
}

/** The socket's changes of one database. */
export interface DatabaseFeed {
  isOpen(): boolean
  /** Undefined where the server has to be asked. */
  next(place: Omit<FollowedPlace, 'database'>): Promise<HeardChanges | undefined>
}

export interface PullChangesOptions {
  calls: SyncCalls
  epoch: KnownEpoch
  /** Where everything is offered again: what the server holds of it already. */
  versions?: ServerVersions | undefined
  pushes: PushWatch
  /** Holds back a pull until there is room for what it brings. */
  pace: PullPace
  /** How many documents a page has when the line is good. */
  pageRows: number
  /** The socket's changes of this database, in place of waiting requests. */
  feed?: DatabaseFeed | undefined
  /** Aborts when this replication ends. */
  signal: AbortSignal
  onOutcome: (outcome: SyncOutcome) => void
}

/** From so many rows in one answer on, more are on their way: the next poll waits for them, so that they cost one write. */
const manyRows = 5
const gatherMs = 100
const heartbeatMs = 10_000

/**
 * What the server has: in pages for the catch-up, and then as it is written. Documents that are being pushed are kept
 * back until that is over; the checkpoint that is given stays before them, so whoever starts again asks for them.
 */
export function createPullChanges<T>(options: PullChangesOptions) {
  const { calls, epoch, versions, pushes, pace, pageRows, feed, signal, onOutcome } = options
  const page = createPortion({ first: pageRows, least: 1, most: pageRows })
  const caughtUp = createDeferred<{ place: Seq; isBehind: boolean }>()
  const stream = new Subject<{ documents: WithDeleted<T>[]; checkpoint: PullCheckpoint }>()
  /** The newest version of each document that is kept back. */
  const held = new Map<string, ServerDocument>()
  const state = {
    /** Up to where the stream has taken, and up to where it has given everything. */
    taken: 0 as Seq,
    given: 0 as Seq,
    /** More is known to be there: nothing has to be waited for. */
    isBehind: false,
    /** Counts what the stream has given. */
    gifts: 0,
    /** The stream has begun, or is about to. */
    isStreaming: false,
    /** What the stream has taken since RxDB began to ask. */
    fresh: new Set<string>(),
    /** The catch-up has just come to its end. */
    ended: undefined as { place: Seq; gifts: number } | undefined,
  }

  function describePage(since: Seq, canWait: boolean) {
    const amount = page.size()
    const waits = canWait && !feed?.isOpen()
    const query = new URLSearchParams({
      ...{ style: 'all_docs', feed: waits ? 'longpoll' : 'normal', since: `${since}` },
      ...{ include_docs: 'true', heartbeat: `${heartbeatMs}`, limit: `${amount}` },
    })
    return {
      ...{ path: `_changes?${query}`, size: { portion: page, amount } },
      ...(waits && { heartbeatMs }),
    } satisfies SyncCall
  }

  async function askPage(since: Seq, { canWait }: { canWait: boolean }): Promise<Page> {
    const { call, answer } = await calls.ask(() => describePage(since, canWait), readChanges)
    page.grow(answer.results.length)
    versions?.note(answer.results.map(({ doc }) => doc))
    return { ...answer, isAll: answer.results.length < call.size.amount }
  }

  function toPulled(documents: readonly ServerDocument[]): WithDeleted<T>[] {
    return documents.map(({ _rev, _deleted, ...document }) => {
      // The server's rule has let nothing else in.
      return { ...(document as T), _deleted: _deleted === true }
    })
  }

  function note(place: Seq, count: number) {
    if (count > 0) pace.note({ place: String(place), count })
  }

  /** One page of the catch-up; RxDB goes on until one is empty. */
  async function pull(checkpoint: PullCheckpoint | undefined) {
    const since = checkpoint?.sequence ?? 0
    const { ended } = state
    state.ended = undefined
    // RxDB drops what the stream gave before this: then it has to be asked for.
    if (ended?.place === since && ended.gifts === state.gifts) {
      return { documents: [], checkpoint: { sequence: since } }
    }
    await orAborted(pace.untilRoom(), signal)
    const { gifts } = state
    state.fresh.clear()
    const asked = await askPage(since, { canWait: false })
    const { results, last_seq, isAll } = asked
    const firstHeld = results.findIndex(({ id }) => pushes.isUnderWay(id))
    const isCut = firstHeld >= 0
    const taken = isCut ? results.slice(0, firstHeld) : results
    const place = isCut ? (taken.at(-1)?.seq ?? since) : last_seq
    if (isCut && state.isStreaming) await holdRest(asked, { from: firstHeld, place })
    if (isCut || isAll) {
      if (taken.length > 0) state.ended = { place, gifts }
      caughtUp.resolve({ place, isBehind: isCut })
      state.isStreaming = true
    }
    if (isAll) versions?.notePulled()
    note(place, taken.length)
    return {
      documents: toPulled(taken.map(({ doc }) => doc)),
      checkpoint: { sequence: place },
    }
  }

  /**
   * Keeps back what lies behind a document that is being pushed. The stream may have given it already, but RxDB drops
   * what it was given before it began to ask.
   */
  async function holdRest(asked: Page, cut: { from: number; place: Seq }) {
    state.given = cut.place
    let { last_seq, isAll } = asked
    let rest = asked.results.slice(cut.from)
    for (;;) {
      for (const { id, doc } of rest) if (!state.fresh.has(id)) held.set(id, doc)
      if (isAll) return
      ;({ results: rest, last_seq, isAll } = await askPage(last_seq, { canWait: false }))
    }
  }

  /** What is new: from the line while it is up, and else by a request that waits. */
  async function awaitNews(): Promise<Page> {
    const { taken } = state
    if (feed?.isOpen() && !state.isBehind) {
      // While the line is up the server is there, whatever an earlier request came to.
      onOutcome('reached')
      const place = { since: String(taken), epoch: epoch.get(), signal }
      const heard = await feed.next(place)
      if (heard) return { ...heard, isAll: true }
    }
    const asked = await askPage(taken, { canWait: !state.isBehind })
    state.isBehind = !asked.isAll
    return asked
  }

  function give(documents: readonly ServerDocument[]) {
    if (held.size === 0) state.given = state.taken
    if (documents.length === 0) return
    state.gifts += 1
    note(state.given, documents.length)
    stream.next({ documents: toPulled(documents), checkpoint: { sequence: state.given } })
  }

  function take({ results, last_seq }: Page) {
    state.taken = last_seq
    for (const { id } of results) state.fresh.add(id)
    const ready = results.flatMap(({ id, doc }) => {
      held.delete(id)
      if (!pushes.isUnderWay(id)) return [doc]
      held.set(id, doc)
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
    /** Gives what is new, from where the catch-up ends. @throws the reason of the signal */
    async run(): Promise<never> {
      const begun = await orAborted(caughtUp.promise, signal)
      Object.assign(state, { taken: begun.place, given: begun.place, isBehind: begun.isBehind })
      for (;;) {
        await orAborted(pace.untilRoom(), signal)
        const news = await awaitNews()
        take(news)
        if (news.isAll && news.results.length >= manyRows) await pause(gatherMs, signal)
      }
    },
  }
}

interface Page extends Changes {
  /** There is nothing behind it. */
  isAll: boolean
}
