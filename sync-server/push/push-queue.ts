import { LRUCache } from 'lru-cache'
import type { PushDocument } from '../access/push-subscription-documents.ts'
import { atMost } from '../lib/at-most.ts'
import { joinNews } from './join-news.ts'
import type { PushClock } from './push-clock.ts'
import type { PushOutcome } from './push-sender.ts'

/** New messages of one chat, for one device. */
export interface PushEntry {
  device: PushDocument
  peerId: string
  /** The chat was read elsewhere since this device showed it: said unless there is news. */
  isRead?: true
  /** The newest, oldest first; none where only the reading is news. */
  messageIds: readonly string[]
  count: number
  /** Epoch ms. */
  queuedAt: number
}

/** `dropped`: nobody needs this push any more. */
export type EntryOutcome = PushOutcome | { kind: 'dropped' }

export type PushQueue = ReturnType<typeof createPushQueue>

const defaults = {
  atOnceMax: 16,
  perServiceMax: 4,
  waitingMax: 20_000,
  perPersonMax: 500,
}
const firstWaitMs = 5_000
const longestWaitMs = 15 * 60_000
/** A service that asks for more is tried again sooner. */
const longestRetryAfterMs = 24 * 60 * 60_000
const entryKeptMs = 24 * 60 * 60_000
const servicesRemembered = 1_000

const keyOf = ({ device, peerId }: PushEntry) => `${device._id} ${peerId}`

/**
 * Pushes wait here, in memory: one for each chat and device, however many messages. A service that
 * fails is left alone for a while, ever longer, then asked with one push.
 * @param send hands one to its service; called with what then waits for that device and chat
 */
export function createPushQueue(options: {
  clock: PushClock
  random: () => number
  send: (entry: PushEntry) => Promise<EntryOutcome>
  onError: (error: unknown) => void
  bounds?: Partial<typeof defaults>
}) {
  const { clock, random, send, onError } = options
  const bounds = { ...defaults, ...options.bounds }
  const lanes = new Map<string, Map<string, PushEntry>>()
  const active = new Map<string, number>()
  /** A chat's pushes to a device go one after the other: the last replaces what was not fetched. */
  const underWay = new Set<string>()
  const perPerson = new Map<string, number>()
  const failing = new LRUCache<string, { failures: number; retryAt: number }>(
    atMost(servicesRemembered),
  )
  const counts = { waiting: 0, active: 0, sent: 0, gone: 0, refused: 0, dropped: 0, failed: 0 }
  const state = { isClosed: false, cancelTimer: () => {}, timerAt: Number.POSITIVE_INFINITY }

  function count(map: Map<string, number>, key: string, change: number) {
    const next = (map.get(key) ?? 0) + change
    if (next > 0) map.set(key, next)
    else map.delete(key)
  }

  function keep(entry: PushEntry): boolean {
    const origin = new URL(entry.device.endpoint).origin
    const lane = lanes.get(origin) ?? new Map<string, PushEntry>()
    const before = lane.get(keyOf(entry))
    const { userId } = entry.device
    const isFull =
      counts.waiting >= bounds.waitingMax || (perPerson.get(userId) ?? 0) >= bounds.perPersonMax
    if (!before && isFull) {
      counts.dropped += 1
      return false
    }
    if (!before) {
      counts.waiting += 1
      count(perPerson, userId, 1)
    }
    lane.set(keyOf(entry), before ? joinNews(before, entry) : entry)
    lanes.set(origin, lane)
    return true
  }

  function take(origin: string, lane: Map<string, PushEntry>): PushEntry | undefined {
    for (const [key, entry] of lane) {
      if (underWay.has(key)) continue
      lane.delete(key)
      if (lane.size === 0) lanes.delete(origin)
      counts.waiting -= 1
      count(perPerson, entry.device.userId, -1)
      return entry
    }
    return undefined
  }

  /** How many pushes this service may be given now. */
  function roomOf(origin: string): number {
    const failed = failing.get(origin)
    if (!failed) return bounds.perServiceMax - (active.get(origin) ?? 0)
    return failed.retryAt <= clock.now() ? 1 - (active.get(origin) ?? 0) : 0
  }

  function run() {
    if (state.isClosed) return
    let isMoving = true
    // In turn: a service with many waiting pushes does not hold up the others.
    while (isMoving && counts.active < bounds.atOnceMax) {
      isMoving = false
      for (const [origin, lane] of [...lanes]) {
        if (counts.active >= bounds.atOnceMax || roomOf(origin) <= 0) continue
        const entry = take(origin, lane)
        if (!entry) continue
        isMoving = true
        begin(origin, entry)
      }
    }
    sleep()
  }

  /** Wakes when the next failing service may be asked again. */
  function sleep() {
    const times = [...lanes.keys()].flatMap((origin) => {
      const failed = failing.get(origin)
      return failed && failed.retryAt > clock.now() ? [failed.retryAt] : []
    })
    const next = Math.min(...times)
    if (next === state.timerAt) return
    state.cancelTimer()
    state.timerAt = next
    if (next === Number.POSITIVE_INFINITY) return
    state.cancelTimer = clock.after(next - clock.now(), () => {
      state.timerAt = Number.POSITIVE_INFINITY
      run()
    })
  }

  function begin(origin: string, entry: PushEntry) {
    counts.active += 1
    count(active, origin, 1)
    underWay.add(keyOf(entry))
    attempt(entry)
      .then((outcome) => handle(origin, entry, outcome))
      .catch(onError)
      .finally(() => {
        counts.active -= 1
        count(active, origin, -1)
        underWay.delete(keyOf(entry))
        run()
      })
  }

  async function attempt(entry: PushEntry): Promise<EntryOutcome> {
    if (clock.now() - entry.queuedAt > entryKeptMs) return { kind: 'dropped' }
    return await send(entry)
  }

  function handle(origin: string, entry: PushEntry, outcome: EntryOutcome) {
    if (outcome.kind !== 'later') {
      counts[outcome.kind] += 1
      // A push that nobody needs says nothing about its service.
      if (outcome.kind !== 'dropped') failing.delete(origin)
      return
    }
    counts.failed += 1
    const failures = (failing.get(origin)?.failures ?? 0) + 1
    const wait = Math.min(firstWaitMs * 2 ** (failures - 1), longestWaitMs)
    const asked = Math.min(outcome.afterMs ?? 0, longestRetryAfterMs)
    // Full jitter above the half, so that servers that lost a service together return apart.
    const waitMs = Math.max(wait / 2 + (random() * wait) / 2, asked)
    failing.set(origin, { failures, retryAt: clock.now() + waitMs })
    if (!state.isClosed) keepAgain(entry)
  }

  /** What came meanwhile is newer. */
  function keepAgain(entry: PushEntry) {
    const lane = lanes.get(new URL(entry.device.endpoint).origin)
    const newer = lane?.get(keyOf(entry))
    if (lane && newer) lane.set(keyOf(entry), joinNews(entry, newer))
    else keep(entry)
  }

  return {
    counts: counts as Readonly<typeof counts>,
    /** Never waits. @returns false when too many wait already */
    add(entry: PushEntry): boolean {
      if (state.isClosed) return false
      const isKept = keep(entry)
      run()
      return isKept
    },
    close() {
      state.isClosed = true
      state.cancelTimer()
      lanes.clear()
    },
  }
}
