import { LRUCache } from 'lru-cache'
import type { PushDocument } from '../access/push-subscription-documents.ts'
import { atMost } from '../lib/at-most.ts'
import { joinNews } from './push-news.ts'
import type { PushOutcome } from './push-sender.ts'

const longestTimerMs = 2 ** 31 - 1

export const realPushClock: PushClock = {
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), longestTimerMs)).unref()
    return () => clearTimeout(timer)
  },
}

/** New messages of one chat, for one device. */
export interface PushEntry {
  device: PushDocument
  peerId: string
  /** The chat was read elsewhere since this device showed it: said unless there is news. */
  isRead?: true
  /** The newest, oldest first; none where only the reading is news. */
  messageIds: readonly string[]
  /** Those that name the device's person, the newest, oldest first. */
  mentionIds?: readonly string[]
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
  /** Places of one person, whose devices may name any hosts. */
  perPersonAtOnceMax: 2,
  /** Places of all services that are not known to answer in time: anybody can name a hundred. */
  untriedAtOnceMax: 8,
  waitingMax: 20_000,
  perPersonMax: 500,
}

const firstWaitMs = 5_000

const longestWaitMs = 15 * 60_000

/** A service that asks for more is tried again sooner. */
const longestRetryAfterMs = 24 * 60 * 60_000

/** A later answer counts as a failure: it held a place for that long. */
const slowAfterMs = 2_000

/** What a slow service takes still arrives, one by one. */
const longestSlowWaitMs = 60_000

const entryKeptMs = 24 * 60 * 60_000

const servicesRemembered = 1_000

const keyOf = ({ device, peerId }: PushEntry) => `${device._id} ${peerId}`

const originOf = ({ device }: PushEntry) => new URL(device.endpoint).origin

/** What waits for one service, by person: a person goes to the end when their turn begins. */
type Lane = Map<string, Map<string, PushEntry>>

/** A push that holds a place. */
interface Flight {
  /** Since when its service has it, epoch ms. */
  leftAt: number | undefined
}

/**
 * Pushes wait here, in memory: one for each chat and device, however many messages. Services take
 * turns, and so do people within a service (P12). A service that fails or is slow is left alone for
 * a while, ever longer, then asked with one push.
 * @param send hands one to its service, and says when it leaves; called with what then waits for
 * that device and chat
 */
export function createPushQueue(options: {
  clock: PushClock
  random: () => number
  send: (entry: PushEntry, leave: () => void) => Promise<EntryOutcome>
  onError: (error: unknown) => void
  bounds?: Partial<typeof defaults>
}) {
  const { clock, random, send, onError } = options
  const bounds = { ...defaults, ...options.bounds }
  const lanes = new Map<string, Lane>()
  const flights = new Map<string, Set<Flight>>()
  const flightsOfPerson = new Map<string, number>()
  /** A chat's pushes to a device go one after the other: the last replaces what was not fetched. */
  const underWay = new Set<string>()
  const perPerson = new Map<string, number>()
  const failing = new LRUCache<string, { failures: number; retryAt: number }>(
    atMost(servicesRemembered),
  )
  /** Services whose last answer came in time. */
  const prompt = new LRUCache<string, true>(atMost(servicesRemembered))
  const counts = { waiting: 0, active: 0, sent: 0, gone: 0, refused: 0, dropped: 0, failed: 0 }
  const state = { isClosed: false, cancelTimer: () => {}, timerAt: Number.POSITIVE_INFINITY }

  function count(map: Map<string, number>, key: string, change: number) {
    const next = (map.get(key) ?? 0) + change
    if (next > 0) map.set(key, next)
    else map.delete(key)
  }

  function keep(entry: PushEntry): boolean {
    const { userId } = entry.device
    const before = findWaiting(entry)
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
    put(before ? joinNews(before, entry) : entry)
    return true
  }

  function findWaiting(entry: PushEntry): PushEntry | undefined {
    return lanes.get(originOf(entry))?.get(entry.device.userId)?.get(keyOf(entry))
  }

  function put(entry: PushEntry) {
    const [origin, { userId }] = [originOf(entry), entry.device]
    const lane: Lane = lanes.get(origin) ?? new Map()
    const own = lane.get(userId) ?? new Map<string, PushEntry>()
    lanes.set(origin, lane.set(userId, own.set(keyOf(entry), entry)))
  }

  /** The first person's whose turn it is; the service and the person go to the end. */
  function take(origin: string, lane: Lane): PushEntry | undefined {
    for (const [userId, own] of lane) {
      if ((flightsOfPerson.get(userId) ?? 0) >= bounds.perPersonAtOnceMax) continue
      const [key, entry] = [...own].find(([key]) => !underWay.has(key)) ?? []
      if (key === undefined || !entry) continue
      own.delete(key)
      lane.delete(userId)
      if (own.size > 0) lane.set(userId, own)
      lanes.delete(origin)
      if (lane.size > 0) lanes.set(origin, lane)
      counts.waiting -= 1
      count(perPerson, userId, -1)
      return entry
    }
    return undefined
  }

  /** May this service be given a push now? */
  function hasRoom(origin: string): boolean {
    const own = flights.get(origin)
    const failed = failing.get(origin)
    if (failed && failed.retryAt > clock.now()) return false
    if (!prompt.has(origin) && countUntried() >= bounds.untriedAtOnceMax) return false
    const isWaitedFor = [...(own ?? [])].some(isSlow)
    return (own?.size ?? 0) < (failed || isWaitedFor ? 1 : bounds.perServiceMax)
  }

  function countUntried(): number {
    return [...flights].reduce(
      (sum, [origin, { size }]) => sum + (prompt.has(origin) ? 0 : size),
      0,
    )
  }

  /** From when it left on: before, only this server keeps it waiting. */
  function isSlow({ leftAt }: Flight): boolean {
    return leftAt !== undefined && clock.now() - leftAt >= slowAfterMs
  }

  function run() {
    if (state.isClosed) return
    let isMoving = true
    while (isMoving && counts.active < bounds.atOnceMax) {
      isMoving = false
      for (const [origin, lane] of [...lanes]) {
        if (counts.active >= bounds.atOnceMax) break
        if (!hasRoom(origin)) continue
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
    const flight: Flight = { leftAt: undefined }
    const { userId } = entry.device
    const own = flights.get(origin) ?? new Set()
    flights.set(origin, own.add(flight))
    counts.active += 1
    count(flightsOfPerson, userId, 1)
    underWay.add(keyOf(entry))
    attempt(entry, flight)
      .then((outcome) => handle({ origin, entry, flight, outcome }))
      .catch(onError)
      .finally(() => {
        own.delete(flight)
        if (own.size === 0) flights.delete(origin)
        counts.active -= 1
        count(flightsOfPerson, userId, -1)
        underWay.delete(keyOf(entry))
        run()
      })
  }

  async function attempt(entry: PushEntry, flight: Flight): Promise<EntryOutcome> {
    if (clock.now() - entry.queuedAt > entryKeptMs) return { kind: 'dropped' }
    return await send(entry, () => {
      flight.leftAt = clock.now()
    })
  }

  function handle(done: {
    origin: string
    entry: PushEntry
    flight: Flight
    outcome: EntryOutcome
  }) {
    const { origin, entry, flight, outcome } = done
    if (outcome.kind === 'later') {
      counts.failed += 1
      const asked = Math.min(outcome.afterMs ?? 0, longestRetryAfterMs)
      leaveAlone(origin, { atLeastMs: asked, atMostMs: longestWaitMs })
      if (!state.isClosed) keepAgain(entry)
      return
    }
    counts[outcome.kind] += 1
    // A push that nobody needs says nothing about its service.
    if (outcome.kind === 'dropped') return
    if (isSlow(flight)) return leaveAlone(origin, { atLeastMs: 0, atMostMs: longestSlowWaitMs })
    failing.delete(origin)
    prompt.set(origin, true)
  }

  /** After a failure: for ever longer, up to `atMostMs`, unless the service asks for more. */
  function leaveAlone(origin: string, bound: { atLeastMs: number; atMostMs: number }) {
    const failures = (failing.get(origin)?.failures ?? 0) + 1
    const wait = Math.min(firstWaitMs * 2 ** (failures - 1), bound.atMostMs)
    // Full jitter above the half, so that servers that lost a service together return apart.
    const waitMs = Math.max(wait / 2 + (random() * wait) / 2, bound.atLeastMs)
    failing.set(origin, { failures, retryAt: clock.now() + waitMs })
    prompt.delete(origin)
  }

  /** What came meanwhile is newer. */
  function keepAgain(entry: PushEntry) {
    const newer = findWaiting(entry)
    if (newer) put(joinNews(entry, newer))
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

/** The clock and the timers of pushes. Tests replace it. */
export interface PushClock {
  /** Epoch ms. */
  now(): number
  /** Runs something later. @returns a function that cancels it */
  after(ms: number, run: () => void): () => void
}
