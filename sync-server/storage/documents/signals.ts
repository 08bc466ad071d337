import { EventEmitter } from 'node:events'
import { LRUCache } from 'lru-cache'
import { atMost } from '../../lib/at-most.ts'
import type { Document, Seq, Stored } from './documents.ts'

/**
 * Everything written between two places of a database's history: the newest version of each
 * document.
 */
export interface News {
  from: Seq
  docs: readonly (Stored<Document> & { _deleted?: boolean })[]
}

/** Called with the database, its new place `seq`, and what was written, if known. */
export type SignalListener = (name: string, seq: Seq, news?: News) => void

/**
 * Notifies waiting readers of database changes: in process here, across servers behind the same
 * interface.
 */
export interface Signals {
  /** Announces the database's new place `seq`. */
  notify(name: string, seq: Seq, news?: News): void
  /** A database's last known seq; undefined when unknown, whatever the database holds. */
  lastSeq(name: string): Seq | undefined
  /** Is this the database's place, as far as known? CouchDB spells one place in several ways. */
  isAt(name: string, seq: Seq): boolean
  /**
   * Records a reader's place, unless something newer than `before` (an earlier `lastSeq`) was
   * announced meanwhile.
   * @param seen.isSame nothing new was found: `seq` is another spelling of the known place
   */
  observe(name: string, seen: { before: Seq | undefined; seq: Seq; isSame: boolean }): void
  /**
   * Resolves to true when the database's last known seq differs from `seen`, at once if it already
   * does; to false after `timeoutMs`, when `signal` aborts, or when the signals close.
   */
  wait(
    name: string,
    seen: Seq | undefined,
    options: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<boolean>
  /** Calls `listener` at each change of any database, until the returned function is called. */
  subscribe(listener: SignalListener): () => void
  /** Calls `listener` whenever this server may have missed changes of any database. */
  onMissed(listener: () => void): () => void
  /** How many readers wait now. */
  countWaiting(): number
  close(): void
}

/** Remembers names of recently active people only; a forgotten one costs one database read. */
const namesRemembered = 100_000
const spellingsRemembered = 20

export function createSignals(): Signals {
  /** Each database's place, in all known spellings; the first one is canonical here. */
  const known = new LRUCache<string, readonly Seq[]>(atMost(namesRemembered))
  const waiting = new Map<string, Set<(hasChanged: boolean) => void>>()
  const state = { isClosed: false }
  const emitter = new EventEmitter().setMaxListeners(0)

  function settle(name: string, hasChanged: boolean) {
    const waiters = waiting.get(name)
    waiting.delete(name)
    for (const resolve of waiters ?? []) resolve(hasChanged)
  }

  const isAt = (name: string, seq: Seq) => known.get(name)?.includes(seq) === true

  return {
    notify(name, seq, news) {
      known.set(name, [seq])
      settle(name, true)
      emitter.emit('change', name, seq, news)
    },
    lastSeq: (name) => known.get(name)?.[0],
    isAt,
    observe(name, { before, seq, isSame }) {
      const [first, ...others] = known.get(name) ?? []
      if (first !== before) return
      if (!isSame || first === undefined) known.set(name, [seq])
      else if (!isAt(name, seq))
        known.set(name, [first, ...others.slice(-spellingsRemembered), seq])
    },
    wait(name, seen, { timeoutMs, signal }) {
      if (seen !== undefined && !isAt(name, seen)) return Promise.resolve(true)
      if (seen === undefined && known.has(name)) return Promise.resolve(true)
      if (signal?.aborted || state.isClosed) return Promise.resolve(false)
      return new Promise((resolve) => {
        const waiters = waiting.get(name) ?? new Set()
        waiting.set(name, waiters)
        const stop = () => finish(false)
        const timer = setTimeout(stop, timeoutMs)
        signal?.addEventListener('abort', stop, { once: true })
        function finish(hasChanged: boolean) {
          clearTimeout(timer)
          signal?.removeEventListener('abort', stop)
          waiters.delete(finish)
          if (waiters.size === 0 && waiting.get(name) === waiters) waiting.delete(name)
          resolve(hasChanged)
        }
        waiters.add(finish)
      })
    },
    subscribe(listener) {
      emitter.on('change', listener)
      return () => emitter.off('change', listener)
    },
    // A single process misses nothing.
    onMissed: () => () => undefined,
    countWaiting: () => [...waiting.values()].reduce((sum, waiters) => sum + waiters.size, 0),
    close() {
      state.isClosed = true
      for (const name of [...waiting.keys()]) settle(name, false)
      emitter.removeAllListeners()
    },
  }
}
