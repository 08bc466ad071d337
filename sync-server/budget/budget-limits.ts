const MiB = 1024 * 1024

export type BudgetLimits = { readonly [Name in keyof typeof budgetLimits]: number }

/**
 * What one caller may hold at a time, and all of them together. Wide enough for a person with several devices and twenty
 * tabs, who never meets any of it.
 */
export const budgetLimits = {
  requestsPerPerson: 512,
  /** Requests of callers who have not shown a good sign-in, by network. */
  requestsPerNetwork: 256,
  /** Bodies that are being read, and answers that wait to be read. */
  bytesPerPerson: 32 * MiB,
  bytesOverall: 256 * MiB,
  /** Requests that are begun before whatever else waits goes on: a few milliseconds of work. */
  startsPerTurn: 16,
  uploadsPerPerson: 4,
  /** Each upload under way holds a few pieces of its file, so their number bounds the memory of all. */
  uploadsOverall: 64,
  /** A sign-in is a few hundred bytes, and whoever sends one is not known yet. */
  strangerBodyMaxBytes: 32 * 1024,

  /** Connections that have not shown a good sign-in yet, by network and of all. */
  strangersPerNetwork: 1_000,
  strangersOverall: 2_000,
  /** Further ones that may still show a good sign-in. */
  strangersOnTrial: 256,
  connectionsPerPerson: 256,

  /** Pages of one conversation that are read side by side, and the requests for them that one person may have open. */
  readsAtOnce: 8,
  /** One for each of a device's two databases. */
  readsAtOncePerPerson: 2,
  readsPerPerson: 128,
  /** Walks through all that somebody has: two pages at a time leave room for what is urgent. */
  scansAtOnce: 2,
  scansAtOncePerPerson: 1,
  /** Two lists in each of twenty tabs, and more. */
  scansPerPerson: 64,

  /** Slower than this is no line that a person could use: 64 kbit/s is eight times as fast. */
  bytesPerSecondMin: 1024,
  /** So far behind that pace a body or an answer is given up. */
  patienceMs: 30_000,
  strangerPatienceMs: 10_000,
  /** Whoever keeps the server waiting for so long gives way to others, where there is no room for all. */
  lateAfterMs: 5_000,
  /** What is left of a body that was answered already is let past for so long. */
  drainMs: 10_000,
  lookEveryMs: 1_000,
} as const
