const MiB = 1024 * 1024

export type BudgetLimits = { readonly [Name in keyof typeof budgetLimits]: number }

/**
 * What one caller may hold at a time, and all together. A person with several devices and twenty
 * tabs never reaches these limits.
 */
export const budgetLimits = {
  requestsPerPerson: 512,
  /** Requests of callers without a valid sign-in, by network. */
  requestsPerNetwork: 256,
  /** Bodies being read, and answers waiting to be sent. */
  bytesPerPerson: 32 * MiB,
  bytesOverall: 256 * MiB,
  /** How many requests may start per event-loop turn: a few milliseconds of work. */
  startsPerTurn: 16,
  /** The same for one caller: what others ask takes many turns. */
  startsPerCaller: 3,
  /** The same for all strangers of one network: with three, 64 loops made a send take 20 times as long, with one 3 times. */
  startsPerNetwork: 1,
  uploadsPerPerson: 4,
  /** Each upload holds a few pieces of its file, so their number bounds the total memory. */
  uploadsOverall: 64,
  /** A sign-in is a few hundred bytes, and its sender is not authenticated yet. */
  strangerBodyMaxBytes: 32 * 1024,
  /**
   * JSON values in a body: a form has ten, settings have a few hundred, and a push of a thousand
   * conversations with full logs has 600,000.
   */
  strangerBodyMaxValues: 1_000,
  jsonBodyMaxValues: 20_000,
  syncBodyMaxValues: 1_000_000,

  /** Connections without a valid sign-in yet, by network and in all. */
  strangersPerNetwork: 1_000,
  strangersOverall: 2_000,
  /** Further ones that may still present a valid sign-in. */
  strangersOnTrial: 256,
  connectionsPerPerson: 256,

  /** Pages of one conversation read in parallel, and one person's open requests for them. */
  readsAtOnce: 8,
  /** One for each of a device's two databases. */
  readsAtOncePerPerson: 2,
  readsPerPerson: 128,
  /** Scans of all of a person's data: two pages at a time leave room for urgent work. */
  scansAtOnce: 2,
  scansAtOncePerPerson: 1,
  /** Two lists in each of twenty tabs, and more. */
  scansPerPerson: 64,
  /** Each is up to fifty messages, sent a few at a time: in all, and one person's that wait. */
  forwardsAtOnce: 4,
  forwardsPerPerson: 32,
  /** Pages of strangers being fetched, each a few hundred kilobytes for some seconds. */
  linksAtOnce: 16,
  linksAtOncePerPerson: 2,
  linksPerPerson: 8,

  /** Slower than this is no line that a person could use: 64 kbit/s is eight times as fast. */
  bytesPerSecondMin: 1024,
  /** Gives up a body or an answer this far behind that pace. */
  patienceMs: 30_000,
  strangerPatienceMs: 10_000,
  /** A caller who keeps the server waiting this long gives way to others when there is no room. */
  lateAfterMs: 5_000,
  /** How long to drain the rest of a body that was answered already. */
  drainMs: 10_000,
  lookEveryMs: 1_000,
} as const
