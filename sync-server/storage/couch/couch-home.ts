import { LRUCache } from 'lru-cache'
import { parseJson } from '../../../schema/helpers/json.ts'
import { atMost } from '../../lib/at-most.ts'
import { type Database, type Failure, isConflict, orUndefined } from '../documents/database.ts'
import type { DatabaseHome } from '../documents/database-home.ts'
import { isDatabaseName, isPersonalDatabase } from '../documents/database-names.ts'
import type { Document, Stored } from '../documents/documents.ts'
import { draftWrites, pick, type WantedWrites } from '../documents/draft-writes.ts'
import { nameByContent } from '../documents/grow-branch.ts'
import { planWrites, type Write } from '../documents/plan-writes.ts'
import { readLeaves } from '../documents/read-revisions.ts'
import { createReadyCheck } from '../documents/ready-check.ts'
import type { Signals } from '../documents/signals.ts'
import { asStorageError, LoginRefused, StorageUnavailable } from '../documents/storage-errors.ts'
import { type Belief, transactInTurn } from '../documents/transact-in-turn.ts'
import type { UpdateOutcome } from '../documents/update-one.ts'
import { answerInTime, type TimeLimits } from './answer-in-time.ts'
import { connectCouch } from './connect-couch.ts'

const mostUpdatesAtOnce = 1000

const mostRounds = 50

/**
 * After five wrong logins within five minutes CouchDB locks the login out, for every server that
 * uses it.
 */
const triedAgainAfterMs = 2 * 60_000

const defaultLimits: TimeLimits = { silentMs: 15_000, longestMs: 5 * 60_000 }

const readsAtOnce = 4

const mostIdsAtOnce = 1_000

const databasesRemembered = 20_000

const closeWithinMs = 3_000

/** Some database must serve as the probe. */
const triedDatabase = 'accounts'

/**
 * Databases in a CouchDB 3, shared by any number of servers. Assumes that a database exists, and
 * creates it when CouchDB says that it does not.
 * @param couchdbUrl its root, with user and password if it needs them
 */
export function createCouchHome(options: {
  couchdbUrl: string
  signals: Signals
  limits?: Partial<TimeLimits> | undefined
}): DatabaseHome {
  const { couchdbUrl, signals, limits } = options
  const requests = createCouchRequests({ couchdbUrl, limits })
  const opened = new LRUCache<string, Database>(atMost(databasesRemembered))
  const underWay = new Set<Promise<unknown>>()
  const state = { isClosed: false }

  async function make(name: string): Promise<void> {
    // 412: it exists. One shard is enough for one person; more would cost files for nothing.
    const path = isPersonalDatabase(name) ? `${name}?q=1` : name
    await requests.send('PUT', path, { accepted: [412] })
  }

  async function find(name: string): Promise<Database> {
    const database = opened.get(name) ?? connectCouch(requests.urlOf(name), requests.fetch)
    opened.set(name, database)
    return database
  }

  async function workOn<Result>(name: string, work: (database: Database) => Promise<Result>) {
    try {
      return await work(await find(name))
    } catch (error) {
      if (!isDatabaseGone(error)) throw error
      await make(name)
      return await work(await find(name))
    }
  }

  async function use<Result>(name: string, work: (database: Database) => Promise<Result>) {
    if (state.isClosed) throw new StorageUnavailable(`storage is closed; ${name} cannot be used`)
    const using = workOn(name, work)
    underWay.add(using)
    try {
      return await using
    } catch (error) {
      throw asStorageError(error)
    } finally {
      underWay.delete(using)
    }
  }

  async function checkReady() {
    if (state.isClosed) throw new StorageUnavailable('storage is closed')
    const id = '_local/ready'
    // Also checks the right to create databases, which each new person needs.
    await make(triedDatabase)
    await use(triedDatabase, async (database) => {
      const before = await orUndefined(database.get(id))
      // Another server may be probing at the same moment: that also proves that writes work.
      const written = database.put({ _id: id, ...(before && { _rev: before._rev }) })
      await written.catch((error: unknown) => {
        if (!isConflict(error)) throw error
      })
      await database.get(id)
    })
  }

  const queues = createWriteQueues({ use, signals })
  const read = createJoinedReads(use)

  return {
    use,
    read,
    async transact(transaction) {
      const [part, ...others] = transaction.parts
      if (!part || others.length > 0) {
        return await transactInTurn({ read, update: queues.update }, transaction)
      }
      const { name, ids } = part
      const { result, revs } = await queues.update(name, {
        ids,
        ...(part.isNew && { belief: new Map(ids.map((id) => [id, undefined])) }),
        decide(stored) {
          const { writes, result } = transaction.decide(() => stored as never)
          const foreign = writes.find((write, index) => index > 0 || write.name !== name)
          if (foreign) throw new Error(`a transaction on ${name} alone also wrote ${foreign.name}`)
          const { put = [], pushed = [] } = writes[0] ?? {}
          return { put, pushed, result }
        },
      })
      return { result, revs: () => revs }
    },
    async list() {
      const names = (await requests.send('GET', '_all_dbs')) as string[]
      return names.filter(isDatabaseName)
    },
    readSeq: (name) => use(name, async (database) => (await database.info()).update_seq),
    async destroy(name) {
      await requests.send('DELETE', name, { accepted: [404] })
    },
    ready: createReadyCheck(checkReady),
    giveUpIn: requests.abortIn,
    stats: () => ({
      open: opened.size,
      inUse: underWay.size,
      queuedUpdates: queues.countWaiting(),
      syncedWrites: 0,
      keysWritten: 0,
    }),
    async close() {
      state.isClosed = true
      requests.abortIn(closeWithinMs)
      await Promise.allSettled(underWay)
    },
  }
}

function isDatabaseGone(error: unknown): boolean {
  const { reason } = (error ?? {}) as { reason?: unknown }
  return reason === 'no_db_file' || reason === 'Database does not exist.'
}

/** One write queue for each database in use; announces each write on `signals`. */
function createWriteQueues(options: {
  use: <Result>(name: string, work: (database: Database) => Promise<Result>) => Promise<Result>
  signals: Signals
}) {
  const { use, signals } = options
  const busy = new Map<string, WriteQueue>()
  const unsure = new Set<string>()
  const announced = { writes: 0 }

  /**
   * No database gives this seq: waiting readers look for themselves, and nobody else has to ask.
   */
  function announce(name: string) {
    announced.writes += 1
    signals.notify(name, `written ${announced.writes}`)
  }

  function open(name: string): WriteQueue {
    const queue = createWriteQueue({
      use: (work) => use(name, work),
      onWritten() {
        announce(name)
        unsure.delete(name)
      },
      onUnsure() {
        unsure.add(name)
        announce(name)
      },
      isUnsure: () => unsure.has(name),
      onIdle: () => busy.delete(name),
    })
    busy.set(name, queue)
    return queue
  }

  return {
    update: <Result>(name: string, update: QueuedUpdate<Result>) =>
      (busy.get(name) ?? open(name)).update(update),
    countWaiting: () => [...busy.values()].reduce((sum, queue) => sum + queue.countWaiting(), 0),
  }
}

interface Waiting {
  ids: readonly string[]
  resolve: (found: Map<string, Stored<Document>>) => void
  reject: (error: unknown) => void
}

/**
 * Reads documents by id, a few requests at a time for each database; callers that arrive meanwhile
 * share one request.
 */
function createJoinedReads(
  use: <Result>(name: string, work: (database: Database) => Promise<Result>) => Promise<Result>,
) {
  const busy = new Map<string, { underWay: number; waiting: Waiting[] }>()

  async function readNext(name: string, queue: { underWay: number; waiting: Waiting[] }) {
    queue.underWay += 1
    while (queue.waiting.length > 0) await readTogether(name, takeSome(queue.waiting))
    queue.underWay -= 1
    if (queue.underWay === 0) busy.delete(name)
  }

  async function readTogether(name: string, group: readonly Waiting[]) {
    const ids = new Set(group.flatMap((one) => one.ids))
    try {
      const found = await use(name, (database) => database.readAll(ids))
      for (const one of group) one.resolve(pick(found, one.ids))
    } catch (error) {
      for (const one of group) one.reject(error)
    }
  }

  return function read(name: string, ids: readonly string[]) {
    return new Promise<Map<string, Stored<Document>>>((resolve, reject) => {
      const queue = busy.get(name) ?? { underWay: 0, waiting: [] }
      busy.set(name, queue)
      queue.waiting.push({ ids, resolve, reject })
      if (queue.underWay < readsAtOnce) readNext(name, queue).catch(reject)
    })
  }
}

function takeSome(waiting: Waiting[]): Waiting[] {
  let count = 0
  const end = waiting.findIndex(({ ids }) => {
    count += ids.length
    return count > mostIdsAtOnce
  })
  return waiting.splice(0, end === -1 ? waiting.length : Math.max(end, 1))
}

/**
 * Requests to a CouchDB: with its login in a header, never in an address, and with time limits, so
 * that a silent connection blocks nobody forever.
 */
export function createCouchRequests(options: {
  couchdbUrl: string
  limits?: Partial<TimeLimits> | undefined
}) {
  const { couchdbUrl } = options
  const limits = { ...defaultLimits, ...options.limits }
  const { root, authorization } = splitLogin(couchdbUrl)
  const guard = createLoginGuard()
  const open = new Set<AbortController>()
  const state = { closed: undefined as StorageUnavailable | undefined }

  async function fetchInTime(url: string | URL, init: RequestInit = {}): Promise<Response> {
    if (state.closed) throw state.closed
    guard.check()
    const headers = new Headers(init.headers)
    if (authorization !== undefined) headers.set('authorization', authorization)
    const giveUp = new AbortController()
    open.add(giveUp)
    try {
      const response = await answerInTime({ url, init: { ...init, headers }, limits, giveUp })
      await guard.record(response)
      return response
    } finally {
      open.delete(giveUp)
    }
  }

  return {
    /** For each database's calls. */
    fetch: fetchInTime,
    urlOf: (path: string) => new URL(path, root).href,
    /**
     * @returns the answer's JSON. @throws StorageUnavailable for a status that is neither 2xx nor
     * `accepted`
     */
    async send(
      method: string,
      path: string,
      { accepted = [] }: { accepted?: readonly number[] } = {},
    ): Promise<unknown> {
      const url = new URL(path, root)
      const response = await fetchInTime(url, { method })
      const answer = parseJson(await response.text())
      if (answer === undefined) {
        throw new StorageUnavailable(`What answers at ${root.origin} is no CouchDB.`)
      }
      if (response.ok || accepted.includes(response.status)) return answer
      const { reason = '' } = answer as { reason?: string }
      throw describeRefusal(response.status, `${method} ${url.pathname}`, reason)
    },
    /** After `withinMs` cancels pending requests and fails new ones. */
    abortIn(withinMs: number) {
      setTimeout(() => {
        const closed = new StorageUnavailable('storage is closed')
        state.closed = closed
        for (const giveUp of open) giveUp.abort(closed)
      }, withinMs).unref()
    },
  }
}

function describeRefusal(status: number, asked: string, reason: string) {
  return status === 401 || status === 403
    ? new LoginRefused(
        `The login in COUCHDB_URL may not do what the server has to (${asked}): ${reason} Give it a server admin’s.`,
      )
    : new StorageUnavailable(`CouchDB answered ${status} to ${asked}: ${reason}`)
}

function splitLogin(couchdbUrl: string) {
  const root = new URL(couchdbUrl.endsWith('/') ? couchdbUrl : `${couchdbUrl}/`)
  const [username, password] = [root.username, root.password].map(decode)
  Object.assign(root, { username: '', password: '' })
  const login = Buffer.from(`${username}:${password}`).toString('base64')
  return { root, authorization: username === '' ? undefined : `Basic ${login}` }
}

/** A `%` without a valid code stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Stops retrying a login that CouchDB refused: requests then fail here, and one now and then checks
 * whether it works again.
 * @param now epoch ms
 */
function createLoginGuard({ now = Date.now }: { now?: () => number } = {}) {
  const state = { refusal: undefined as string | undefined, triedAt: 0 }

  return {
    /** Call before each request. @throws LoginRefused while the login counts as refused */
    check() {
      if (state.refusal === undefined) return
      if (now() - state.triedAt < triedAgainAfterMs) throw new LoginRefused(state.refusal)
      state.triedAt = now()
    },
    /** Call with each answer. @throws LoginRefused for one that refuses the login */
    async record(response: Response) {
      const reason = await readRefusal(response)
      if (reason === undefined) {
        state.refusal = undefined
        return
      }
      const isNew = state.refusal === undefined
      state.refusal = `CouchDB refuses the login: ${reason} Set COUCHDB_URL to a name and a password that it takes.`
      if (isNew) state.triedAt = now()
      throw new LoginRefused(state.refusal)
    },
  }
}

/** A known user without admin rights also gets 401. */
async function readRefusal(response: Response): Promise<string | undefined> {
  if (response.status !== 401 && response.status !== 403) return undefined
  const answer: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  const { reason } = (answer ?? {}) as { reason?: unknown }
  const words = typeof reason === 'string' ? reason : `it answers ${response.status}.`
  const isLocked = /locked/.test(words)
  if (response.status === 403) return isLocked ? endSentence(words) : undefined
  return /server admin/.test(words) ? undefined : endSentence(words)
}

function endSentence(words: string): string {
  return words.endsWith('.') ? words : `${words}.`
}

interface QueuedUpdate<Result> {
  ids: readonly string[]
  /** A pure function; may run several times, after each conflict with another writer. */
  decide: (stored: ReadonlyMap<string, Document>) => WantedWrites & { result: Result }
  /** Saves the read; a wrong belief costs one more round. */
  belief?: Belief | undefined
}

interface WaitingWrite extends QueuedUpdate<unknown> {
  resolve: (outcome: UpdateOutcome<unknown>) => void
  reject: (error: unknown) => void
  isSettled: boolean
}

/**
 * The only writer of documents of a CouchDB database. Updates that arrive during a write wait, then
 * run together: one read, the functions in turn, one `_bulk_docs`.
 * @param use runs work with the database open
 * @param onWritten called after each write, before its updates are answered; also after an empty
 * one while `isUnsure`: what it read may come from the failed write
 * @param onUnsure called when a write failed and may be partly stored
 * @param onIdle called when the queue is empty
 */
function createWriteQueue(options: {
  use: <Result>(work: (database: Database) => Promise<Result>) => Promise<Result>
  onWritten: () => void
  onUnsure: () => void
  isUnsure: () => boolean
  onIdle: () => void
}) {
  const waiting: WaitingWrite[] = []
  const state = { isRunning: false }

  async function run() {
    state.isRunning = true
    while (waiting.length > 0) {
      const group = waiting.splice(0, mostUpdatesAtOnce)
      await writeApart(group)
    }
    state.isRunning = false
    options.onIdle()
  }

  /**
   * An unstorable update fails alone: retries the others of its group without it. All of it fails
   * when the database does: each would wait for a silence of its own.
   */
  async function writeApart(group: readonly WaitingWrite[]) {
    try {
      await options.use((database) => writeRounds(database, group))
    } catch (error) {
      options.onUnsure()
      const left = group.filter((item) => !item.isSettled)
      if (error instanceof StorageUnavailable || left.length <= 1) {
        for (const item of left) settle(item, () => item.reject(error))
      } else for (const item of left) await writeApart([item])
    }
  }

  async function writeRounds(database: Database, group: readonly WaitingWrite[]) {
    let rest = group
    for (let round = 0; rest.length > 0; round += 1) {
      if (round === mostRounds) throw new Error('a document changed under every try to write it')
      rest = await writeOnce(database, rest, { isBelieved: round === 0 })
    }
  }

  /** @returns the updates that met a newer revision of another server */
  async function writeOnce(
    database: Database,
    group: readonly WaitingWrite[],
    { isBelieved }: { isBelieved: boolean },
  ): Promise<WaitingWrite[]> {
    const stored = await readUnlessBelieved(database, group, isBelieved)
    const draft = draftWrites(stored)
    const decided: { item: WaitingWrite; result: unknown }[] = []
    for (const item of group) {
      try {
        const { result, ...wanted } = item.decide(draft.read(item.ids))
        draft.check(item.ids, wanted)
        draft.add(wanted)
        decided.push({ item, result })
      } catch (error) {
        settle(item, () => item.reject(error))
      }
    }
    const outcome = await writeDocuments(database, stored, draft.writes.values())
    if (outcome.written > 0 || options.isUnsure()) options.onWritten()
    const conflicted: WaitingWrite[] = []
    for (const { item, result } of decided) {
      if (item.ids.some((id) => outcome.conflicts.has(id))) conflicted.push(item)
      else settle(item, () => item.resolve({ result, revs: pick(outcome.revs, item.ids) }))
    }
    return conflicted
  }

  return {
    /**
     * Resolves when the documents from `decide` are stored; rejects with its error, storing
     * nothing.
     */
    update<Result>(update: QueuedUpdate<Result>): Promise<UpdateOutcome<Result>> {
      return new Promise((resolve, reject) => {
        // Each update gets its own function's result back, so the types match here.
        const item = { ...update, resolve, reject, isSettled: false }
        waiting.push(item as unknown as WaitingWrite)
        if (!state.isRunning) run().catch(reject)
      })
    },
    countWaiting: () => waiting.length,
  }
}

type WriteQueue = ReturnType<typeof createWriteQueue>

async function readUnlessBelieved(
  database: Database,
  group: readonly WaitingWrite[],
  isBelieved: boolean,
) {
  const believed = new Map<string, Stored<Document> | undefined>()
  const unknown = new Set<string>()
  for (const { ids, belief } of group) {
    for (const id of ids) {
      if (isBelieved && belief?.has(id)) believed.set(id, belief.get(id))
      else unknown.add(id)
    }
  }
  const stored = await database.readAll(unknown)
  for (const [id, doc] of believed) if (doc && !unknown.has(id)) stored.set(id, doc)
  return stored
}

function settle(item: WaitingWrite, answer: () => void) {
  item.isSettled = true
  answer()
}

/** Writes to CouchDB. @returns the revision of every document read or written, and the ids with a concurrent write */
async function writeDocuments(
  database: Database,
  stored: ReadonlyMap<string, Stored<Document>>,
  writes: Iterable<Write>,
) {
  const { edits, replicated, revs, stale } = await planWrites({
    stored,
    writes,
    // It may get the same write from several servers.
    nameChild: nameByContent,
    readLeaves: (id) => readLeaves(database, id),
  })
  const conflicts = new Set(stale)

  const rows = edits.length > 0 ? await database.bulkDocs(edits) : []
  for (const [index, row] of rows.entries()) {
    const id = edits[index]?._id ?? ''
    if (isWritten(row)) revs.set(id, row.rev)
    else if (row.status === 409 || row.error === 'conflict') conflicts.add(id)
    else throw new Error(`${id} could not be stored`, { cause: row })
  }

  const failures =
    replicated.length > 0 ? await database.bulkDocs(replicated, { new_edits: false }) : []
  if (failures.length > 0) throw new Error('a revision could not be stored', { cause: failures })

  const refused = conflicts.size - stale.size
  return { revs, conflicts, written: edits.length - refused + replicated.length }
}

function isWritten(
  row: { id: string; rev: string; ok: true } | Failure,
): row is { id: string; rev: string; ok: true } {
  return 'ok' in row && row.ok === true
}
