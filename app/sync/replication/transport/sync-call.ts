import type { AdaptiveBatchSize } from './adaptive-batch-size.ts'

/** One request to a database of `/sync`. */
export interface SyncCall {
  /** Below the database's address, with its query. */
  path: string
  /** JSON, which makes it a POST. */
  body?: string
  /** A long poll: the server sends a heartbeat at least this often until it answers. */
  heartbeatMs?: number
  /** It offers documents: a rate-limiting server accepts them later. */
  isPush?: boolean
  /** Aborts when its answer is no longer needed, and with the replication. */
  signal?: AbortSignal
  /** This request's share of the full batch: after a break the next one is smaller. */
  size?: { batchSize: AdaptiveBatchSize; amount: number }
}
