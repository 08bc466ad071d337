import { LRUCache } from 'lru-cache'
import * as z from 'zod/mini'
import type { ServerLink } from '../cluster/server-link.ts'
import { atMost } from '../lib/at-most.ts'
import type { Seq } from './documents/documents.ts'
import { createSignals, type SignalListener, type Signals } from './documents/signals.ts'

const namesRemembered = 100_000
/**
 * A crashed server may not have announced its last write: after this time a poll reads the
 * database.
 */
const trustedMs = 5 * 60_000
/**
 * How often a waiting poll reads while the link is down; jittered, so that not all read at once.
 */
const lookEveryMs = { least: 3_000, most: 6_000 }

/** No database has ever given this as a seq. */
const unknownPrefix = 'unknown '

const changed = z.object({ name: z.string() })

/**
 * Signals for servers that share databases. Seqs from several servers arrive in no reliable order,
 * so a change only means that there is news: a read says how far. While the link is down, polls
 * read now and then.
 */
export function createSharedSignals({ link }: { link: ServerLink }): Signals {
  const state = { local: createSignals(), changes: 0, isClosed: false }
  const looked = new LRUCache<string, true>({ ...atMost(namesRemembered), ttl: trustedMs })
  const listeners = new Set<SignalListener>()
  const missed = new Set<() => void>()

  const markUnknown = (name: string) =>
    state.local.notify(name, `${unknownPrefix}${++state.changes}`)

  function handleChange(...[name, seq, news]: Parameters<Signals['notify']>) {
    looked.delete(name)
    markUnknown(name)
    for (const listener of listeners) listener(name, seq, news)
  }

  /** All known seqs may be stale: makes every waiting reader look again. */
  function forgetAll() {
    const { local } = state
    if (state.isClosed) return
    state.local = createSignals()
    looked.clear()
    local.close()
    tellMissed()
  }

  function tellMissed() {
    for (const listener of missed) listener()
  }

  const pickLookMs = () =>
    lookEveryMs.least + Math.random() * (lookEveryMs.most - lookEveryMs.least)
  // While the link is down, periodically wakes those that wait for a message instead of polling.
  const looking = setInterval(() => {
    if (!link.isUp()) tellMissed()
  }, lookEveryMs.most).unref()

  const stopListening = [
    link.listen('database-changed', (data) => {
      const { name } = changed.parse(data)
      handleChange(name, unknownPrefix)
    }),
    link.listen('anything-changed', forgetAll),
    link.onTurn((isUp) => {
      // The others missed what was written here while the link was down.
      if (isUp) link.publish('anything-changed', null)
      forgetAll()
    }),
  ]

  return {
    notify(name, seq, news) {
      handleChange(name, seq, news)
      link.publish('database-changed', { name })
    },
    lastSeq(name) {
      const known = state.local.lastSeq(name)
      if (looked.has(name) || isUnknown(known)) return known
      markUnknown(name)
      return state.local.lastSeq(name)
    },
    isAt: (name, seq) => looked.has(name) && state.local.isAt(name, seq),
    observe(name, seen) {
      if (state.local.lastSeq(name) !== seen.before) return
      state.local.observe(name, seen)
      looked.set(name, true)
    },
    async wait(name, seen, { timeoutMs, signal }) {
      const { local } = state
      const lookMs = link.isUp() ? timeoutMs : pickLookMs()
      const waitMs = Math.min(timeoutMs, lookMs)
      const hasChanged = await local.wait(
        name,
        seen,
        signal ? { timeoutMs: waitMs, signal } : { timeoutMs: waitMs },
      )
      if (hasChanged) return true
      if (state.isClosed || signal?.aborted) return false
      return local !== state.local || waitMs < timeoutMs
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    onMissed(listener) {
      missed.add(listener)
      return () => void missed.delete(listener)
    },
    countWaiting: () => state.local.countWaiting(),
    close() {
      state.isClosed = true
      clearInterval(looking)
      for (const stop of stopListening) stop()
      state.local.close()
      listeners.clear()
      missed.clear()
    },
  }
}

function isUnknown(seq: Seq | undefined): boolean {
  return seq === undefined || (typeof seq === 'string' && seq.startsWith(unknownPrefix))
}
