import { setTimeout as wait } from 'node:timers/promises'
import type { Response } from 'express'
import { epochHeader } from '../../schema/api/epoch-header.ts'
import type { Signals } from '../storage/databases/signals.ts'
import type { Seq } from '../storage/documents/documents.ts'
import { createChangesWriter } from './changes-writer.ts'
import { createPageSize } from './page-size.ts'
import type { ChangesQuery } from './read-changes-query.ts'
import type { SyncDatabase } from './sync-database.ts'

/** One CouchDB node may lag behind another for a moment. */
const clusterLagMs = 1_000

/**
 * CouchDB's `_changes`. A signal wakes a waiting feed, which holds no database open meanwhile (P9).
 * Streams page by page, so no answer is ever whole in memory.
 * @param knownEpoch the device's epoch; undefined for clients without one
 */
export async function answerChanges(options: {
  database: SyncDatabase
  signals: Signals
  query: ChangesQuery
  knownEpoch: string | undefined
  response: Response
}): Promise<void> {
  const { database, signals, query, knownEpoch, response } = options
  const { stored, turn } = database
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const deadline = performance.now() + query.timeoutMs
  const writer = createChangesWriter(response, query)
  const size = createPageSize()
  let since = query.since === 'now' ? await stored.updateSeq() : query.since
  let isUpToDate = await isAtNewest(since)
  /** A place confirmed here, not only claimed by the client. */
  let sure = isUpToDate ? since : 0
  /** CouchDB's `pending`: this many changes may follow where the answer stops at its limit. */
  let left: number | undefined

  for (;;) {
    if (!isUpToDate) {
      const seen = signals.lastSeq(stored.name)
      const read = await sendPages(since)
      since = read.at
      sure = since
      // A reader who stopped at the limit knows nothing beyond, so do not record it as the end.
      const { isAtEnd, found } = read
      if (!isAtEnd && !query.descending) left = countOf(await stored.updateSeq()) - countOf(since)
      if (isAtEnd) signals.observe(stored.name, { before: seen, seq: since, isSame: found === 0 })
    }
    const isAnswered = query.feed === 'longpoll' && writer.countRows() > 0
    const timeoutMs = deadline - performance.now()
    if (query.feed === 'normal' || isAnswered || isFull() || isOfOldEpoch()) break
    if (timeoutMs <= 0 || gone.signal.aborted) break
    writer.startHeartbeat()
    // Any write since the read above has changed the known seq, so that this returns at once.
    if (!(await signals.wait(stored.name, since, { timeoutMs, signal: gone.signal }))) break
    isUpToDate = false
  }
  writer.end(since, left)

  /** Tells a device at once that it must begin again, without waiting for news. */
  function isOfOldEpoch(): boolean {
    return knownEpoch !== undefined && knownEpoch !== database.epoch()
  }

  function isFull(): boolean {
    return writer.countRows() >= query.limit
  }

  /**
   * After a server restart most devices are up to date: one small read confirms it, without opening
   * anything.
   */
  async function isAtNewest(at: Seq): Promise<boolean> {
    const { descending } = query
    if (descending) return false
    if (signals.lastSeq(stored.name) !== undefined) return signals.isAt(stored.name, at)
    const newest = await stored.updateSeq()
    signals.observe(stored.name, { before: undefined, seq: newest, isSame: false })
    return newest === at
  }

  async function sendPages(from: Seq): Promise<{ at: Seq; isAtEnd: boolean; found: number }> {
    let at = from
    let found = 0
    if (!(await isOfThisHistory(from))) {
      at = 0
      await database.recordAhead(knownEpoch)
      if (!response.headersSent) response.set(epochHeader, database.epoch())
    }
    for (;;) {
      const limit = Math.min(query.limit - writer.countRows(), size.rows())
      const { includeDocs, style, descending } = query
      const page = await turn(() =>
        stored.changes({ since: at, limit, includeDocs, style, descending }),
      )
      const { docIds } = query
      const rows = docIds ? page.results.filter(({ id }) => docIds.has(id)) : page.results
      // A page that leaves out most of its rows was as long to read, and may be as long again.
      size.record(page.results.length, await writer.write(rows))
      at = page.last_seq
      found += page.results.length
      const isAtEnd = !descending && page.results.length < limit
      if (isAtEnd || descending || isFull() || gone.signal.aborted) return { at, isAtEnd, found }
    }
  }

  /**
   * A checkpoint from another history, as after a move between LevelDB and CouchDB or after a
   * restore, would hide new changes: such a client begins again, which costs only time.
   */
  async function isOfThisHistory(at: Seq): Promise<boolean> {
    if (at === 0 || at === sure) return true
    const newest = await stored.updateSeq()
    if (typeof at !== typeof newest) return false
    if (countOf(at) <= countOf(newest)) return true
    if (typeof at === 'number') return false
    await wait(clusterLagMs)
    return countOf(at) <= countOf(await stored.updateSeq())
  }
}

/** CouchDB's sequences begin with a number too. */
function countOf(seq: Seq): number {
  return typeof seq === 'number' ? seq : Number.parseInt(seq, 10)
}
