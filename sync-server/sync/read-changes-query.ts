import { limits } from '../../schema/limits.ts'
import type { Seq } from '../storage/documents/documents.ts'
import { badRequest, forbidden, tooLarge } from './couch-error.ts'
import { type Query, readCount, readFlag, readText, readTexts } from './read-query.ts'

export interface ChangesQuery {
  feed: 'normal' | 'longpoll' | 'continuous'
  since: Seq | 'now'
  /** The maximum of rows over all pages. */
  limit: number
  includeDocs: boolean
  /**
   * No revisions, and each id once: for clients that pull by sequence and never push by revision.
   * Not CouchDB's.
   */
  isBare: boolean
  style: 'main_only' | 'all_docs'
  descending: boolean
  docIds: ReadonlySet<string> | undefined
  /** The interval of line breaks that keep proxies from closing the connection. */
  heartbeatMs: number | undefined
  /** When a waiting feed ends. */
  timeoutMs: number
}

/** A descending read is one piece, because no sequence says where the next would begin. */
const descendingMaxRows = 20
/** `now`, a number, or CouchDB's spelling of one. */
const seqPattern = /^(now|\d{1,15}(-[\w-]{1,4096}={0,2})?)$/
const shortestHeartbeatMs = 1_000
const defaultHeartbeatMs = 60_000
/** CouchDB's replicator reopens a continuous feed when it ends. */
const longestContinuousMs = 60_000

/** CouchDB's parameters of `_changes`. @throws CouchError 400, and 403 for filters that would run code */
export function readChangesQuery(query: Query): ChangesQuery {
  const feed = readFeed(query)
  const longestMs = feed === 'continuous' ? longestContinuousMs : limits.syncPollMaxMs
  // CouchDB takes 0 as 1.
  const limit = Math.max(readCount(query, 'limit') ?? Number.POSITIVE_INFINITY, 1)
  const descending = readFlag(query, 'descending')
  if (descending && limit > descendingMaxRows) {
    throw badRequest(`descending needs a limit of at most ${descendingMaxRows}`)
  }
  return {
    feed,
    since: readSince(query),
    limit,
    includeDocs: readFlag(query, 'include_docs'),
    isBare: readFlag(query, 'bare'),
    style: readText(query, 'style') === 'all_docs' ? 'all_docs' : 'main_only',
    descending,
    docIds: readDocIds(query),
    heartbeatMs: readHeartbeat(query),
    timeoutMs: Math.min(readCount(query, 'timeout') ?? longestMs, longestMs),
  }
}

function readFeed(query: Query): ChangesQuery['feed'] {
  const feed = readText(query, 'feed') ?? 'normal'
  if (feed === 'normal' || feed === 'longpoll' || feed === 'continuous') return feed
  throw badRequest(`feed cannot be ${feed}`)
}

function readSince(query: Query): Seq | 'now' {
  const since = query.get('since') ?? 0
  if (typeof since === 'number' && Number.isSafeInteger(since) && since >= 0) return since
  if (typeof since !== 'string' || !seqPattern.test(since)) {
    throw badRequest('since must be a sequence')
  }
  return /^\d{1,15}$/.test(since) ? Number(since) : since
}

function readDocIds(query: Query): ReadonlySet<string> | undefined {
  const filter = readText(query, 'filter')
  if (filter === undefined) return undefined
  if (filter !== '_doc_ids') throw forbidden('Filters other than _doc_ids are not offered.')
  const ids = readTexts(query, 'doc_ids') ?? []
  if (ids.length > limits.syncBatchMaxDocuments) {
    throw tooLarge(`At most ${limits.syncBatchMaxDocuments} ids can be asked for at once.`)
  }
  return new Set(ids)
}

function readHeartbeat(query: Query): number | undefined {
  const isPlain = readFlag(query, 'heartbeat')
  if (isPlain) return defaultHeartbeatMs
  const asked = query.get('heartbeat') === 'false' ? undefined : readCount(query, 'heartbeat')
  return asked && Math.max(asked, shortestHeartbeatMs)
}
