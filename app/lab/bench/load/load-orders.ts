import type { Account } from '../../server/server-accounts.ts'

/** How messages reach the server, and how its changes come back. */
export const loadWays = [
  'socket',
  'rest',
  'app',
  'app-with-receipts',
  'bare-express',
  'bare-ws',
  'bare-ws-with-receipts',
] as const
export type LoadWay = (typeof loadWays)[number]

/**
 * The number of pairs, and each pair's messages in flight or started per second, from both in turn.
 */
export interface LoadShape {
  pairs: number
  rhythm: { inFlight: number } | { perSecond: number }
}

/** The orders for the load process. */
export interface LoadOrder {
  origin: string
  way: LoadWay
  shape: LoadShape
  /** The first writes to the second, the third to the fourth, and vice versa. */
  people: readonly Account[]
  warmUpMs: number
  forMs: number
}

/**
 * Later orders: start measuring, and stop. Each directly follows a reading of the server's
 * counters, so that both cover the same time.
 */
export type LoadWord = { kind: 'measure' } | { kind: 'end' }

/** Its reports: warmed up, measured for long enough, and the result. */
export type LoadNews =
  | { kind: 'warm' }
  | { kind: 'due' }
  | { kind: 'over'; tookMs: readonly number[]; forMs: number; requests: number; frames: number }
  | { kind: 'failed'; why: string }
