import type { Account } from '../../server/server-accounts.ts'

/** How messages go to the server, and how its news comes back. */
export const loadWays = [
  'socket',
  'rest',
  'app',
  'app-with-receipts',
  'bare-express',
  'bare-ws',
] as const
export type LoadWay = (typeof loadWays)[number]

/** So many pairs, each with so many messages under way or so many begun in a second, by both in turn. */
export interface LoadShape {
  pairs: number
  rhythm: { inFlight: number } | { perSecond: number }
}

/** What the process that makes the load is asked to do. */
export interface LoadOrder {
  origin: string
  way: LoadWay
  shape: LoadShape
  /** The first writes to the second, the third to the fourth, and the other way round. */
  people: readonly Account[]
  warmUpMs: number
  forMs: number
}

/**
 * What it is told later: that what comes from now on is measured, and that it is over. Each follows at once on a reading
 * of what the server has counted, so that both are of the same time.
 */
export type LoadWord = { kind: 'measure' } | { kind: 'end' }

/** What it says: that it is warm, that it has been measured for long enough, and what it was. */
export type LoadNews =
  | { kind: 'warm' }
  | { kind: 'due' }
  | { kind: 'over'; tookMs: readonly number[]; forMs: number; requests: number; frames: number }
  | { kind: 'failed'; why: string }
