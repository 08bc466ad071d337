import { setTimeout as wait } from 'node:timers/promises'
import type { Response } from 'express'
import { epochHeader } from '../../schema/api/wire.ts'
import { slicesOf } from '../../schema/helpers/lists.ts'
import { limits } from '../../schema/limits.ts'
import { createPageSize } from '../lib/page-size.ts'
import type { Change, Document, Seq, Stored } from '../storage/documents/documents.ts'
import type { Signals } from '../storage/documents/signals.ts'
import { createAnswerBody } from './answer-body.ts'
import { badRequest, tooLarge } from './couch-error.ts'
import type { ChangesQuery } from './read-changes-query.ts'
import { isStorableId } from './read-proposal.ts'
import { isRev, type Query, readCount, readFlag, readJson, readTexts } from './read-query.ts'
import type { SyncDatabase } from './sync-database.ts'

const idsAtOnce = 50

const documentsAtOnce = 16

const revsPerDocument = 1_000

/** The size of one piece of an answer that repeats a document. */
const repeatedCharacters = 64 * 1024

const toMissing = ([id, missing]: readonly [string, string[]]): [string, object] => [
  id,
  { missing },
]

const keysAtOnce = 16

const keptCharacters = 1024 * 1024

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
      const isLast = page.isAtEnd ?? page.results.length < limit
      const isAtEnd = !descending && isLast
      // What the caller may not read can be long: nothing else tells them that it is being read.
      if (page.results.length === 0 && !isLast) writer.startHeartbeat()
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

/** Writes rows of `_changes` in the format of their feed. Sends nothing before the first row. */
function createChangesWriter(
  response: Response,
  { feed, heartbeatMs, isBare }: Pick<ChangesQuery, 'feed' | 'heartbeatMs' | 'isBare'>,
) {
  const state = { rows: 0, isBegun: false, heartbeat: undefined as NodeJS.Timeout | undefined }
  const isList = feed !== 'continuous'
  const body = createAnswerBody(response, { isEndless: !isList })
  response.once('close', () => clearInterval(state.heartbeat))

  /** @returns the text before the first row */
  function begin(): string {
    if (state.isBegun) return ''
    state.isBegun = true
    response.status(200)
    response.set({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    // Proxies must not buffer rows and heartbeats.
    response.set('x-accel-buffering', 'no')
    return isList ? '{"results":[\n' : ''
  }

  return {
    countRows: () => state.rows,
    /** Resolves, with the number of characters, when the connection accepts more. */
    async write(changes: readonly Change<Document>[]): Promise<number> {
      if (changes.length === 0) return 0
      const head = begin()
      const lines = changes.map((change) => JSON.stringify(isBare ? strip(change) : change))
      const before = isList && state.rows > 0 ? ',\n' : head
      state.rows += lines.length
      const text = before + lines.join(isList ? ',\n' : '\n') + (isList ? '' : '\n')
      await body.write(text)
      return text.length
    },
    /** Sends periodic line breaks from now on, if the client asked for them. */
    startHeartbeat() {
      if (heartbeatMs === undefined || state.heartbeat) return
      const head = begin()
      if (head) void body.write(head)
      state.heartbeat = setInterval(() => void body.write('\n'), heartbeatMs)
    },
    /** @param pending how many rows may follow, if known */
    end(lastSeq: Seq, pending?: number) {
      clearInterval(state.heartbeat)
      const head = begin()
      const last = `"last_seq":${JSON.stringify(lastSeq)}${pending === undefined ? '' : `,"pending":${pending}`}`
      body.end(isList ? `${head}\n],\n${last}}\n` : `{${last}}\n`)
    },
  }
}

/**
 * Half of a compressed page is revisions, which are random; an app that never pushes by them needs
 * none.
 */
function strip({ doc, ...change }: Change<Document>) {
  if (!doc) return change
  const { _rev, ...said } = doc
  return { seq: change.seq, doc: said }
}

/**
 * CouchDB's `_all_docs`: by `keys`, or a range of ids, streamed. These databases never contain
 * removed documents, so `deleted: 'ok'` adds nothing.
 */
export async function answerAllDocs(options: {
  database: SyncDatabase
  query: Query
  response: Response
}): Promise<void> {
  const { database, query, response } = options
  const includeDocs = readFlag(query, 'include_docs')
  const keys = readTexts(query, 'keys')
  const pages = keys
    ? readKeys(database, keys, includeDocs)
    : readIdRange(database, query, { includeDocs })
  const first = await pages.next()
  const { docCount } = await database.stored.info()
  await sendList(response, {
    head: `{"total_rows":${docCount},"offset":0,"rows":[\n`,
    tail: '\n]}\n',
    first,
    pages,
  })
}

async function* readKeys(
  { stored, turn }: SyncDatabase,
  keys: readonly string[],
  includeDocs: boolean,
): AsyncGenerator<string[], void> {
  if (keys.length > limits.syncBatchMaxDocuments) {
    throw tooLarge(`At most ${limits.syncBatchMaxDocuments} keys can be asked for at once.`)
  }
  const kept = createKeptRows(keys)
  for (const slice of slicesOf(keys, keysAtOnce)) {
    const unread = slice.filter((key) => isStorableId(key) && kept.find(key) === undefined)
    const found =
      unread.length > 0
        ? await turn(() => stored.read(unread))
        : new Map<string, Stored<Document>>()
    yield slice.map((key) => {
      const row = kept.find(key) ?? toRow(key, found.get(key), includeDocs)
      kept.record(key, row)
      return row
    })
  }
}

/** Rows of keys repeated in one request: read and serialised once, up to a megabyte in total. */
function createKeptRows(keys: readonly string[]) {
  const left = new Map<string, number>()
  for (const key of keys) left.set(key, (left.get(key) ?? 0) + 1)
  const rows = new Map<string, string>()
  const state = { characters: 0 }

  return {
    find: (key: string) => rows.get(key),
    /** Call for each row sent. */
    record(key: string, row: string) {
      const again = (left.get(key) ?? 1) - 1
      left.set(key, again)
      if (again === 0 && rows.delete(key)) state.characters -= row.length
      if (again === 0 || rows.has(key)) return
      if (state.characters + row.length > keptCharacters) return
      state.characters += row.length
      rows.set(key, row)
    },
  }
}

function toRow(key: string, doc: Stored<Document> | undefined, includeDocs: boolean): string {
  if (!doc) return JSON.stringify({ key, error: 'not_found' })
  const row = { id: doc._id, key: doc._id, value: { rev: doc._rev } }
  return JSON.stringify(includeDocs ? { ...row, doc } : row)
}

/** A range of ids as JSON rows for `_all_docs`, page by page. */
async function* readIdRange(
  { stored, turn }: SyncDatabase,
  query: Query,
  { includeDocs }: { includeDocs: boolean },
): AsyncGenerator<string[], void> {
  const key = readKey(query, 'key')
  const endkey = key ?? readKey(query, 'endkey') ?? readKey(query, 'end_key')
  const descending = readFlag(query, 'descending')
  const isOpenEnded = query.get('inclusive_end') === 'false' || query.get('inclusive_end') === false
  let skip = readCount(query, 'skip') ?? 0
  let left = readCount(query, 'limit') ?? Number.POSITIVE_INFINITY
  let startkey = key ?? readKey(query, 'startkey') ?? readKey(query, 'start_key')
  let last: string | undefined
  const size = createPageSize()

  while (left > 0) {
    const limit = size.rows() + 1
    const range = {
      ...(startkey === undefined ? {} : { startkey }),
      ...(endkey === undefined ? {} : { endkey }),
      // The page begins with the last document of the one before it.
      limit,
      descending,
    }
    const page = await turn(() =>
      includeDocs && skip === 0 ? stored.range(range) : stored.listRevs(range),
    )
    const fresh = page.filter(({ _id }) => _id !== last && !(isOpenEnded && _id === endkey))
    const wanted = fresh.slice(skip, skip + left)
    const isSkipping = includeDocs && skip > 0
    skip -= Math.min(skip, fresh.length)
    const docs = isSkipping
      ? [...(await turn(() => stored.read(wanted.map(({ _id }) => _id)))).values()]
      : wanted
    const rows = docs.map((doc) => toRangeRow(doc, includeDocs))
    size.record(
      rows.length,
      rows.reduce((sum, row) => sum + row.length, 0),
    )
    left -= rows.length
    yield rows
    if (page.length < limit) return
    last = page.at(-1)?._id
    startkey = last
  }
}

function toRangeRow(doc: { _id: string; _rev: string }, includeDocs: boolean): string {
  const row = { id: doc._id, key: doc._id, value: { rev: doc._rev } }
  return JSON.stringify(includeDocs ? { ...row, doc } : row)
}

function readKey(query: Query, name: string): string | undefined {
  const key = readJson(query, name)
  return typeof key === 'string' ? key : undefined
}

/** CouchDB's `_revs_diff`: which of the client's revisions the server has never seen. */
export async function answerRevsDiff({ stored, turn }: SyncDatabase, body: unknown) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest('The body must map ids to lists of revisions.')
  }
  const asked = Object.entries(body).map(([id, revs]) => [id, readRevs(revs)] as const)
  refuseTooMany(asked.length)
  const missing: [string, object][] = []
  for (const slice of slicesOf(asked, idsAtOnce)) {
    const storable = slice.filter(([id]) => isStorableId(id))
    const found = await turn(() => stored.findMissingRevisions(Object.fromEntries(storable)))
    const rest = slice.filter(([id]) => !isStorableId(id))
    missing.push(...Object.entries(found), ...rest.map(toMissing))
  }
  return Object.fromEntries(missing)
}

/** CouchDB's `_bulk_get`, streamed. */
export async function answerBulkGet(options: {
  database: SyncDatabase
  body: unknown
  query: Query
  response: Response
}): Promise<void> {
  const { database, body, query, response } = options
  const docs: unknown = (body as { docs?: unknown } | undefined)?.docs
  if (!Array.isArray(docs)) throw badRequest('docs must be a list of ids and revisions')
  refuseTooMany(docs.length)
  const flags = { revs: readFlag(query, 'revs'), latest: readFlag(query, 'latest') }
  const pages = readDocuments(database, docs.map(readAsked), flags)
  const first = await pages.next()
  await sendList(response, { head: '{"results":[\n', tail: '\n]}\n', first, pages })
}

interface Asked {
  id: string
  rev?: string
}

async function* readDocuments(
  { stored, turn }: SyncDatabase,
  asked: readonly Asked[],
  flags: { revs: boolean; latest: boolean },
): AsyncGenerator<string[], void> {
  // Reads and serialises repeated requests once.
  const distinct = [...new Map(asked.map((one) => [`${one.id} ${one.rev}`, one])).values()]
  const times = new Map<string, number>()
  for (const { id, rev } of asked) {
    const key = `${id} ${rev}`
    times.set(key, (times.get(key) ?? 0) + 1)
  }
  for (const slice of slicesOf(distinct, documentsAtOnce)) {
    const storable = slice.filter(({ id }) => isStorableId(id))
    const found =
      storable.length > 0 ? await turn(() => stored.bulkGet({ docs: storable, ...flags })) : []
    const rows = new Map(storable.map((one, index) => [one, JSON.stringify(found[index])]))
    const once: string[] = []
    for (const one of slice) {
      const row = rows.get(one) ?? JSON.stringify(describeMissing(one))
      once.push(row)
      const again = (times.get(`${one.id} ${one.rev}`) ?? 1) - 1
      const atOnce = Math.max(1, Math.floor(repeatedCharacters / row.length))
      // Writing a thousand repeats is work too, and takes turns like any other.
      for (let left = again; left > 0; left -= atOnce) {
        yield await turn(async () => Array(Math.min(left, atOnce)).fill(row))
      }
    }
    yield once
  }
}

function describeMissing({ id, rev }: Asked) {
  const error = { id, ...(rev ? { rev } : {}), error: 'not_found', reason: 'missing' }
  return { id, docs: [{ error }] }
}

function readAsked(asked: unknown): Asked {
  const { id, rev } = (asked ?? {}) as { id?: unknown; rev?: unknown }
  if (typeof id !== 'string') throw badRequest('Each of docs needs an id')
  if (rev === undefined) return { id }
  if (!isRev(rev)) throw badRequest('Invalid rev format')
  return { id, rev }
}

function readRevs(revs: unknown): string[] {
  if (!Array.isArray(revs)) throw badRequest('Revisions must be a list of texts.')
  if (revs.length > revsPerDocument) {
    throw tooLarge(`At most ${revsPerDocument} revisions of a document can be asked for at once.`)
  }
  if (revs.every(isRev)) return revs
  throw badRequest('Invalid rev format')
}

function refuseTooMany(count: number) {
  if (count <= limits.syncBatchMaxDocuments) return
  throw tooLarge(`At most ${limits.syncBatchMaxDocuments} documents can be asked for at once.`)
}

/**
 * Streams a JSON list page by page: no answer is ever whole in memory, and reading stops when the
 * caller is gone. A failure before the first page still gets its own answer.
 * @param list.head the text before the rows; @param list.tail the text after them
 * @param list.first the first page, already read; @param list.pages the others, rows as JSON
 */
async function sendList(
  response: Response,
  list: {
    head: string
    tail: string
    first: IteratorResult<string[], void>
    pages: AsyncGenerator<string[], void>
  },
): Promise<void> {
  const { head, tail, first, pages } = list
  response.status(200).set({ 'content-type': 'application/json', 'cache-control': 'no-store' })
  const body = createAnswerBody(response)
  let before = head
  for (let page = first; !page.done && !response.destroyed; page = await pages.next()) {
    if (page.value.length === 0) continue
    await body.write(before + page.value.join(',\n'))
    before = ',\n'
  }
  await pages.return()
  body.end((before === head ? head : '') + tail)
}

/** Sends JSON without Express's ETag: hashing pages that nobody requests twice is wasted work. */
export function sendJson(response: Response, status: number, body: unknown) {
  response.status(status).set({ 'content-type': 'application/json', 'cache-control': 'no-store' })
  createAnswerBody(response).end(`${JSON.stringify(body)}\n`)
}
