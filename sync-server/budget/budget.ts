import type { Levels } from '../metrics/read-levels.ts'
import { type BudgetLimits, budgetLimits } from './budget-limits.ts'
import { createFairQueue } from './fair-queue.ts'
import { createLedger } from './ledger.ts'

const recentMs = 1_000

export type Budget = ReturnType<typeof createBudget>

/**
 * The resources that this server gives its callers, and their use (P12). @param changed limits, for
 * tests
 */
export function createBudget(changed: Partial<BudgetLimits> = {}) {
  const limits: BudgetLimits = { ...budgetLimits, ...changed }
  const { lateAfterMs } = limits
  const open = (perKey: number, overall = Number.POSITIVE_INFINITY) =>
    createLedger({ perKey, overall, lateAfterMs })
  const ledgers = {
    requests: open(limits.requestsPerPerson),
    strangersRequests: open(limits.requestsPerNetwork),
    bytes: open(limits.bytesPerPerson, limits.bytesOverall),
    uploads: open(limits.uploadsPerPerson, limits.uploadsOverall),
    strangers: open(limits.strangersPerNetwork, limits.strangersOverall),
    /** Not by network: behind a proxy all connections are the proxy's. */
    passedOn: open(limits.strangersOverall, limits.strangersOverall),
    connections: open(limits.connectionsPerPerson),
  }
  const activity = createActivity()
  const queues = {
    /** Pages of one conversation. */
    reads: createFairQueue({
      atOnce: limits.readsAtOnce,
      atOncePerKey: limits.readsAtOncePerPerson,
      jobsMaxPerKey: limits.readsPerPerson,
      isAlone: activity.isAlone,
    }),
    /** Scans of all of a person's data. */
    scans: createFairQueue({
      atOnce: limits.scansAtOnce,
      atOncePerKey: limits.scansAtOncePerPerson,
      jobsMaxPerKey: limits.scansPerPerson,
      isAlone: activity.isAlone,
    }),
    /** Forwarding one message to many people. */
    forwards: createFairQueue({
      atOnce: limits.forwardsAtOnce,
      atOncePerKey: 1,
      jobsMaxPerKey: limits.forwardsPerPerson,
      isAlone: activity.isAlone,
    }),
    /** Fetching pages for link previews: waiting, not work. */
    links: createFairQueue({
      atOnce: limits.linksAtOnce,
      atOncePerKey: limits.linksAtOncePerPerson,
      jobsMaxPerKey: limits.linksPerPerson,
    }),
  }

  const sum = (name: 'refused' | 'ended') =>
    Object.values(ledgers).reduce((total, ledger) => total + ledger.stats()[name], 0)
  const sumQueues = (name: 'refused' | 'waiting' | 'running') =>
    Object.values(queues).reduce((total, queue) => total + queue.stats()[name], 0)

  return {
    limits,
    ...ledgers,
    ...queues,
    /** Who was active lately. */
    activity,
    /** For the metrics. */
    levels: (): Levels => ({
      gauges: {
        petrel_open_requests: {
          help: 'Requests under way, feeds that wait among them.',
          read: () => ledgers.requests.stats().taken + ledgers.strangersRequests.stats().taken,
        },
        petrel_bytes_in_flight: {
          help: 'Bodies that are being read, and answers that wait to be read.',
          read: () => ledgers.bytes.stats().taken,
        },
        petrel_uploads: {
          help: 'Files that are coming in.',
          read: () => ledgers.uploads.stats().taken,
        },
        petrel_stranger_connections: {
          help: 'Connections that have not shown a good sign-in yet.',
          read: () => ledgers.strangers.stats().taken + ledgers.passedOn.stats().taken,
        },
        petrel_heavy_running: {
          help: 'Pages of searches, exports and lists that are being read.',
          read: () => sumQueues('running'),
        },
        petrel_heavy_waiting: {
          help: 'Searches, exports and lists that wait for their turn.',
          read: () => sumQueues('waiting'),
        },
      },
      counters: {
        petrel_budget_refused_total: {
          help: 'What was refused because its caller, or all, had too much already.',
          read: () => sum('refused') + sumQueues('refused'),
        },
        petrel_budget_ended_total: {
          help: 'What was ended because it kept others from their share.',
          read: () => sum('ended'),
        },
      },
    }),
  }
}

/** Tells whether any other caller was active lately. @param now ms of a monotonic clock */
export function createActivity(now = () => performance.now()) {
  const state = {
    last: { key: '', at: Number.NEGATIVE_INFINITY },
    /** The last caller who was somebody else. */
    before: { key: '', at: Number.NEGATIVE_INFINITY },
  }
  return {
    record(key: string) {
      if (key !== state.last.key) state.before = state.last
      state.last = { key, at: now() }
    },
    isAlone: (key: string) =>
      [state.last, state.before].every((one) => one.key === key || now() - one.at > recentMs),
  }
}
