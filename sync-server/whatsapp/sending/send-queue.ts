import pLimit from 'p-limit'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import type { OutboxEntry } from '../../messages/acceptance/outbox-entry.ts'
import type { StoredDatabase } from '../../storage/stored-database.ts'
import type { ChannelClock } from '../client/channel-clock.ts'

/**
 * One try's result. `gone`: nothing left to send, or settled. `later`: not accepted, and worth a
 * retry. `unknown`: it may have been accepted.
 */
export type TryOutcome =
  | { kind: 'gone'; answer: OutboxAnswer }
  | { kind: 'later'; afterMs: number }
  | { kind: 'unknown' }

/** The answer for a caller who waits for a message. */
export type OutboxAnswer =
  | { kind: 'settled' }
  | { kind: 'failed'; status: number; code: string; words: string; details: string | null }
  | { kind: 'queued' }

type Stored = OutboxEntry & { _deleted?: true }
export type Outbox = ReturnType<typeof createOutbox>

/** Messages to one person go out one after the other, in order. */
interface Lane {
  entries: OutboxEntry[]
  isRunning: boolean
  callOff?: () => void
}

/** More would only queue at the limiter, each with its message in memory. */
const triedAtOnce = 64
/** After this long without a status, the outcome counts as unknown. */
const confirmedWithinMs = 120_000
/** The longest call: `sending` for longer means that it was cut off. */
const callMaxMs = 60_000

/**
 * Sends stored messages, each once. Never resends a message that may have been accepted; one that
 * was not waits, with all later ones to the same person, and goes out across restarts.
 * @param attempt sends one, and records the result
 * @param giveUp records an unknown outcome
 */
export function createOutbox(options: {
  database: StoredDatabase<Stored>
  clock: Pick<ChannelClock, 'now' | 'after'>
  attempt: (entry: OutboxEntry) => Promise<TryOutcome>
  giveUp: (entry: OutboxEntry) => Promise<void>
  onError: (error: unknown) => void
}) {
  const { database, clock, attempt, giveUp, onError } = options
  const limit = pLimit(triedAtOnce)
  const lanes = new Map<string, Lane>()
  const waiters = new Map<string, Set<(answer: OutboxAnswer) => void>>()
  const watches = new Map<string, () => void>()
  const running = new Set<Promise<void>>()
  const state = { isClosed: false }

  function answer(id: string, given: OutboxAnswer) {
    for (const tell of waiters.get(id) ?? []) tell(given)
    waiters.delete(id)
  }

  function take(entry: OutboxEntry) {
    if (state.isClosed) return
    if (entry.state === 'unknown') return watch(entry)
    const key = laneKey(entry)
    const lane = lanes.get(key) ?? { entries: [], isRunning: false }
    lanes.set(key, lane)
    if (lane.entries.some(({ _id }) => _id === entry._id)) return
    lane.entries.push(entry)
    lane.entries.sort((a, b) => a.orderedAt - b.orderedAt || (a._id < b._id ? -1 : 1))
    goOn(key, lane)
  }

  function goOn(key: string, lane: Lane) {
    const [entry] = lane.entries
    if (lane.isRunning || state.isClosed) return
    if (!entry) {
      lanes.delete(key)
      return
    }
    lane.callOff?.()
    const wait = waitOf(entry)
    if (wait > 0) {
      answer(entry._id, { kind: 'queued' })
      lane.callOff = clock.after(wait, () => goOn(key, lane))
      return
    }
    lane.isRunning = true
    const work = limit(() => runSafely(lane, entry)).finally(() => {
      running.delete(work)
      lane.isRunning = false
      goOn(key, lane)
    })
    running.add(work)
  }

  /** Untried messages are due at once. */
  function waitOf({ state: is, since, tries, dueAt }: OutboxEntry): number {
    if (is === 'sending') return since + callMaxMs - clock.now()
    return tries === 0 ? 0 : dueAt - clock.now()
  }

  async function runSafely(lane: Lane, entry: OutboxEntry) {
    try {
      await run(lane, entry)
    } catch (error) {
      onError(error)
      // Either unsent or `sending`: the next read tells.
      const stored = await read(entry._id).catch(() => entry)
      leave(lane, entry)
      if (stored)
        lane.entries.unshift({
          ...stored,
          tries: Math.max(1, stored.tries),
          dueAt: clock.now() + 1_000,
        })
    }
  }

  function leave(lane: Lane, { _id }: OutboxEntry) {
    lane.entries = lane.entries.filter((one) => one._id !== _id)
  }

  async function run(lane: Lane, entry: OutboxEntry) {
    const claimed = await claim(entry)
    if (claimed === 'gone') return leave(lane, entry)
    if (claimed === 'cut off') return await handleUnknown(lane, entry)
    const outcome = await attempt(claimed)
    switch (outcome.kind) {
      case 'gone':
        leave(lane, entry)
        await remove(entry._id)
        return answer(entry._id, outcome.answer)
      case 'later': {
        const dueAt = clock.now() + outcome.afterMs
        const next: OutboxEntry = { ...claimed, state: 'due', dueAt, since: clock.now() }
        await put(next)
        leave(lane, entry)
        lane.entries.unshift(next)
        return answer(entry._id, { kind: 'queued' })
      }
      default:
        return await handleUnknown(lane, claimed)
    }
  }

  async function handleUnknown(lane: Lane, entry: OutboxEntry) {
    const next: OutboxEntry = { ...entry, state: 'unknown', since: clock.now() }
    await put(next)
    leave(lane, entry)
    answer(entry._id, { kind: 'queued' })
    watch(next)
  }

  /** The server that claims it sends it: only one, and only once. */
  async function claim(entry: OutboxEntry): Promise<OutboxEntry | 'gone' | 'cut off'> {
    const { result } = await database.update<OutboxEntry | 'gone' | 'cut off'>(
      [entry._id],
      (stored) => {
        const current = stored.get(entry._id)
        if (!current) return { result: 'gone' }
        if (current.state === 'unknown') return { result: 'gone' }
        if (current.state === 'sending') {
          const isOver = current.since + callMaxMs <= clock.now()
          return { result: isOver ? 'cut off' : 'gone' }
        }
        const claimed: OutboxEntry = {
          ...current,
          state: 'sending',
          since: clock.now(),
          tries: current.tries + 1,
        }
        return { put: [claimed], result: claimed }
      },
    )
    return result
  }

  function watch(entry: OutboxEntry) {
    if (watches.has(entry._id)) return
    const wait = entry.since + confirmedWithinMs - clock.now()
    const callOff = clock.after(Math.max(0, wait), () => {
      watches.delete(entry._id)
      if (state.isClosed) return
      const work = endWatch(entry)
        .catch(onError)
        .finally(() => running.delete(work))
      running.add(work)
    })
    watches.set(entry._id, callOff)
  }

  async function endWatch(entry: OutboxEntry) {
    if (!(await read(entry._id))) return
    await giveUp(entry)
    await remove(entry._id)
  }

  async function read(id: string): Promise<OutboxEntry | undefined> {
    const found = (await database.read([id])).get(id)
    if (!found) return undefined
    const { _rev, ...entry } = found
    return entry
  }

  async function put(entry: OutboxEntry) {
    await database.update([entry._id], (stored) => ({
      // A status may have settled it meanwhile.
      put: stored.has(entry._id) ? [entry] : [],
      result: undefined,
    }))
  }

  async function remove(id: string) {
    await database.update([id], (stored) => ({
      put: [...stored.values()].map((one) => ({ ...one, _deleted: true as const })),
      result: undefined,
    }))
  }

  return {
    /** Takes stored messages. */
    add(entries: readonly OutboxEntry[]) {
      for (const entry of entries) take(entry)
    },

    /** Resumes an earlier run's messages. */
    async resume(): Promise<void> {
      for (const { _rev, ...entry } of await database.range({})) take(entry)
    },

    /**
     * A status confirms that it was accepted: nothing is left to find out, and the next may go out.
     */
    async settle(id: string): Promise<void> {
      const entry = await read(id)
      if (!entry || entry.state === 'due') return
      watches.get(id)?.()
      watches.delete(id)
      await remove(id)
      const key = laneKey(entry)
      const lane = lanes.get(key)
      // A running call ends by itself.
      if (!lane || lane.isRunning) return
      leave(lane, entry)
      goOn(key, lane)
    },

    /** A message's result; call before storing it; `queued` when it takes longer. */
    waitFor(id: string, withinMs: number): { answer: Promise<OutboxAnswer>; cancel: () => void } {
      const { promise, resolve } = createDeferred<OutboxAnswer>()
      const own = waiters.get(id) ?? new Set()
      waiters.set(id, own)
      const timer = setTimeout(() => end({ kind: 'queued' }), withinMs)
      const end = (given: OutboxAnswer) => {
        clearTimeout(timer)
        own.delete(end)
        if (own.size === 0 && waiters.get(id) === own) waiters.delete(id)
        resolve(given)
      }
      own.add(end)
      return { answer: promise, cancel: () => end({ kind: 'queued' }) }
    },

    countWaiting: () => [...lanes.values()].reduce((sum, { entries }) => sum + entries.length, 0),
    countUnknown: () => watches.size,

    drop() {
      state.isClosed = true
      for (const lane of lanes.values()) lane.callOff?.()
      for (const callOff of watches.values()) callOff()
      for (const id of [...waiters.keys()]) answer(id, { kind: 'queued' })
    },

    async close() {
      this.drop()
      await Promise.all(running)
    },
  }
}

function laneKey({ ownerId, contactId }: OutboxEntry): string {
  return `${ownerId} ${contactId}`
}
