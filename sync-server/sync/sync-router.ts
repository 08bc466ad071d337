import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { groupChangesAsked } from '../../schema/api/groups.ts'
import { epochHeader } from '../../schema/api/wire.ts'
import { must } from '../../schema/helpers/assertions.ts'
import { limits } from '../../schema/limits.ts'
import type { TokenHolder } from '../access/token-keeper.ts'
import { budgetLimits } from '../budget/budget-limits.ts'
import { type Doorman, visitOf } from '../budget/doorman.ts'
import type { FairQueue } from '../budget/fair-queue.ts'
import type { Groups } from '../groups/groups.ts'
import { requireServedWire } from '../http/core/access-check.ts'
import { createJsonReader } from '../http/core/json-reader.ts'
import { isPastEnd } from '../lib/json-value.ts'
import { retryOvertaken } from '../lib/retry-overtaken.ts'
import type { Document } from '../storage/documents/documents.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import { answerGroupChanges } from './answer-group-changes.ts'
import { answerAllDocs, answerBulkGet, answerChanges, answerRevsDiff, sendJson } from './answers.ts'
import { badRequest, CouchError, conflict, forbidden, notFound, tooLarge } from './couch-error.ts'
import { createDatabaseFinder } from './database-finder.ts'
import { describeRefusal } from './describe-refusal.ts'
import type { Epochs } from './epochs.ts'
import { pushDocuments } from './push-documents.ts'
import { readChangesQuery } from './read-changes-query.ts'
import { isStorableId } from './read-proposal.ts'
import { isRev, type Query, readFlag, readQuery, readRev, readTexts } from './read-query.ts'
import { findGroupDatabase, type SyncDatabase } from './sync-database.ts'

const openRevsMax = 100

/** No client can use this name. */
const indexId = 'checkpoints!'

const checkpointsMax = 64

const overtaken = {
  tries: 20,
  giveUp: () => new Error('the list of checkpoints changed under every try to write it'),
}

const idMaxLength = 256

/** The characters in replicators' checkpoint names: Base64 and the like. */
const idPattern = /^[\w.~+/=:@-]+$/

const localMaxBytes = 64 * 1024

type Answer = (database: SyncDatabase, request: Request, response: Response) => Promise<void>

/**
 * The CouchDB endpoint, mounted at `/sync`: the caller's own two databases, for RxDB, PouchDB and
 * CouchDB's replicator. The token alone decides whose they are (P8).
 * @param reads the queue where pages take turns
 * @param authenticate finds the caller, or throws an error with a `status`
 * @param onError called with server faults
 */
export function createSyncRouter(options: {
  storage: Storage
  epochs: Pick<Epochs, 'of' | 'raise' | 'installation'>
  acceptance: Parameters<typeof createDatabaseFinder>[0]['acceptance']
  /** Undefined while there are none. */
  groups?: Groups | undefined
  authenticate: (request: Request) => Promise<TokenHolder>
  doorman: Pick<Doorman, 'admit' | 'takeBody'>
  reads: Pick<FairQueue, 'once'>
  onError: (error: unknown) => void
}) {
  const { storage, epochs, acceptance, groups, authenticate, doorman, reads, onError } = options
  const { signals } = storage
  const router = express.Router({ caseSensitive: true })
  const findDatabase = createDatabaseFinder({ storage, epochs, reads, acceptance })
  const parseJson = doorman.takeBody(
    createJsonReader({
      limitBytes: limits.syncBodyMaxBytes,
      valuesMax: budgetLimits.syncBodyMaxValues,
    }),
  )

  const requireCaller: RequestHandler = async (request, _response, next) => {
    acceptBasicToken(request)
    request.caller ??= await authenticate(request)
    next()
  }
  const find = async (request: Request, response: Response) => {
    const { userId: actorId, sessionId } = must(request.caller, 'a caller')
    const made: { signal?: AbortSignal } = {}
    // Most requests write, and never use it.
    const takeSignal = () => (made.signal ??= signalGone(response))
    if (request.params.group !== undefined) {
      const groupId = String(request.params.group)
      return await findGroupDatabase({
        storage,
        epochs,
        reads,
        groups,
        groupId,
        actorId,
        takeSignal,
      })
    }
    return findDatabase({ name: String(request.params.database), actorId, sessionId, takeSignal })
  }
  /** Checks access and existence before reading the body. */
  const readJson: RequestHandler = async (request, response, next) => {
    await find(request, response)
    parseJson(request, response, next)
  }
  const answer =
    (operation: string, respond: Answer): RequestHandler =>
    async (request, response) => {
      const database = await find(request, response)
      request.routeName = `/sync/${database.name}/${operation}`
      response.set(epochHeader, database.epoch())
      await respond(database, request, response)
    }

  const changes = answer('_changes', (database, request, response) => {
    // A feed runs until its sign-in ends.
    visitOf(request).takeSignal()
    const query = readChangesQuery(readQuery(request))
    const knownEpoch = request.get(epochHeader)
    return answerChanges({ database, signals, query, knownEpoch, response })
  })
  const allDocs = answer('_all_docs', (database, request, response) =>
    answerAllDocs({ database, query: readQuery(request), response }),
  )

  router.use(requireServedWire, requireCaller, doorman.admit)
  router.get('/', (_request, response) =>
    sendJson(response, 200, describeServer(epochs.installation())),
  )

  if (groups) {
    router.post('/groups/_changes', parseJson, async (request, response) => {
      const { userId } = must(request.caller, 'a caller')
      const asked = groupChangesAsked.safeParse(request.body)
      if (!asked.success) throw badRequest('since must say the place of each group')
      request.routeName = '/sync/groups/_changes'
      response.set(epochHeader, epochs.of(userId))
      const signal = signalGone(response)
      const turn = <Result>(read: () => Promise<Result>) =>
        reads.once({ key: userId, signal }, read)
      sendJson(
        response,
        200,
        await answerGroupChanges({ storage, groups, userId, ...asked.data, turn }),
      )
    })
    mountDatabase('/groups/:group')
  }
  mountDatabase('/:database')
  router.use(createCouchErrorHandler({ onError }))
  return router

  /** Every call of one database. */
  function mountDatabase(base: string) {
    router.get(
      base,
      answer('', async (database, _request, response) =>
        sendJson(response, 200, await describeDatabase(database)),
      ),
    )
    router.put(
      base,
      answer('', async () => {
        throw new CouchError(412, 'file_exists', 'The database is there already.')
      }),
    )
    router.route(`${base}/_changes`).get(changes).post(readJson, changes)
    router.route(`${base}/_all_docs`).get(allDocs).post(readJson, allDocs)
    router.post(
      `${base}/_bulk_docs`,
      readJson,
      answer('_bulk_docs', async (database, request, response) => {
        const { docs, new_edits } = (request.body ?? {}) as { docs?: unknown; new_edits?: unknown }
        const isReplicated = new_edits === false
        sendJson(response, 201, await pushDocuments(database, { docs, isReplicated }))
      }),
    )
    router.post(
      `${base}/_bulk_get`,
      readJson,
      answer('_bulk_get', async (database, request, response) => {
        const query = new Map<string, unknown>(Object.entries(request.query))
        await answerBulkGet({ database, body: request.body, query, response })
      }),
    )
    router.post(
      `${base}/_revs_diff`,
      readJson,
      answer('_revs_diff', async (database, request, response) =>
        sendJson(response, 200, await answerRevsDiff(database, request.body)),
      ),
    )
    router.post(
      `${base}/_ensure_full_commit`,
      answer('_ensure_full_commit', async (_database, _request, response) =>
        sendJson(response, 201, { ok: true, instance_start_time: '0' }),
      ),
    )
    router
      .route(`${base}/_local/:localId`)
      .get(answer('_local', getLocalDocument))
      .put(readJson, answer('_local', putLocalDocument))
    router.all(
      [`${base}/_design/*rest`, `${base}/:id/*attachment`],
      answer('', async (_database, request) => {
        if (request.method === 'GET' || request.method === 'HEAD') throw notFound()
        throw forbidden('Design documents and attachments are not offered here.')
      }),
    )
    router
      .route(`${base}/:id`)
      .get(answer('document', getDocument))
      .put(readJson, answer('document', putDocument))
    router.all(
      `${base}{/*rest}`,
      answer('', async () => {
        throw forbidden('This part of CouchDB is not offered here.')
      }),
    )
  }
}

/** Aborts when nobody waits for the answer. */
function signalGone(response: Response): AbortSignal {
  const gone = new AbortController()
  if (response.closed) gone.abort()
  response.once('close', () => gone.abort())
  return gone.signal
}

/**
 * Some replicators only support user and password in a URL: takes the password as the token, under
 * any user name, and checks it as usual.
 */
function acceptBasicToken(request: Request) {
  const [, encoded] = /^Basic +([\w+/=-]+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (encoded === undefined) return
  const login = Buffer.from(encoded, 'base64').toString()
  request.headers.authorization = `Bearer ${login.slice(login.indexOf(':') + 1)}`
}

/**
 * CouchDB's root answer: clients identify the server by it. PouchDB names its checkpoints by
 * `uuid`, so that it begins again in a new epoch of the installation.
 */
function describeServer(epoch: string) {
  const uuid = epoch.replaceAll('-', '')
  return { couchdb: 'Welcome', version: '3.3.0', uuid, vendor: { name: 'Petrel' } }
}

/** CouchDB's information on a database. */
async function describeDatabase({ name, stored }: SyncDatabase) {
  const { docCount, updateSeq } = await stored.info()
  return {
    db_name: name,
    doc_count: docCount,
    doc_del_count: 0,
    update_seq: updateSeq,
    // CouchDB's replicator compares it between requests; databases here are never recreated.
    instance_start_time: '0',
  }
}

/** Answers every error beneath `/sync` like CouchDB; reports only server faults to `onError`. */
function createCouchErrorHandler(options: {
  onError: (error: unknown) => void
}): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (isPastEnd(request, error)) return
    const { status, body, headers, isFault } = describeRefusal(error)
    request.refusalCode = body.error
    if (isFault) options.onError(error)
    if (response.headersSent) return next(error)
    response.set(headers)
    // Does not wait for the rest of a body that is too large.
    if (status === 413) response.set('connection', 'close')
    sendJson(response, status, body)
  }
}

/**
 * Checkpoints of replicating clients, in the person's own database, so that two people never share
 * one.
 */
async function getLocalDocument({ stored }: SyncDatabase, request: Request, response: Response) {
  const doc = await createCheckpoints(stored).read(readId(request))
  if (!doc) throw notFound()
  sendJson(response, 200, doc)
}

async function putLocalDocument({ stored }: SyncDatabase, request: Request, response: Response) {
  const id = readId(request)
  const body: unknown = request.body
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest('A document must be a JSON object.')
  }
  if (Buffer.byteLength(JSON.stringify(body)) > localMaxBytes) {
    throw tooLarge('A checkpoint is smaller than that.')
  }
  const { _rev, _id, _attachments, _revisions, ...fields } = body as Record<string, unknown>
  const foreign = Object.keys(fields).find((field) => field.startsWith('_'))
  if (foreign !== undefined)
    throw badRequest(`A field of a checkpoint cannot be called ${foreign}.`)
  if (_rev !== undefined && !isRev(_rev)) throw badRequest('Invalid rev format')
  const seen = _rev === undefined ? {} : { _rev }
  const rev = await createCheckpoints(stored).write(id, { ...fields, ...seen })
  if (rev === undefined) throw conflict()
  sendJson(response, 201, { ok: true, id: `_local/${id}`, rev })
}

function readId(request: Request): string {
  const id = String(request.params.localId)
  if (id.length > idMaxLength) throw badRequest('This id is too long.')
  if (!idPattern.test(id)) throw badRequest('This id has characters that no checkpoint has.')
  return id
}

interface Index {
  _rev?: string
  ids: string[]
}

/**
 * Replicating clients' checkpoints, a bounded number for each database (P12). A new one evicts the
 * oldest, whose client begins again and gets nothing twice.
 */
function createCheckpoints(database: StoredDatabase<Document>) {
  async function readIndex(): Promise<Index> {
    const index = await database.readLocal(indexId)
    return { ids: [], ...index }
  }

  /** Indexed before it exists and until it is gone: a crash leaves none uncounted. */
  async function makePlace(id: string) {
    await retryOvertaken(async () => {
      const { ids, ...index } = await readIndex()
      if (ids.includes(id)) return 'indexed'
      const left = [...ids, id].slice(-checkpointsMax)
      const removed = ids.filter((one) => !left.includes(one))
      for (const one of removed) await database.removeLocal(one)
      const rev = await database.writeLocal(indexId, { ...index, ids: left })
      return rev === undefined ? 'again' : 'indexed'
    }, overtaken)
  }

  return {
    read: (id: string) => database.readLocal(id),
    /** @returns undefined when `doc._rev` is not its current revision, else the new revision */
    async write(id: string, doc: Record<string, unknown>): Promise<string | undefined> {
      await makePlace(id)
      return await database.writeLocal(id, doc)
    },
  }
}

/** CouchDB's GET of one document: the winning revision, one by `rev`, or leaves by `open_revs`. */
async function answerDocument(
  { stored, turn }: SyncDatabase,
  request: { id: string; query: Query },
) {
  const { id, query } = request
  if (id.startsWith('_design/')) throw notFound()
  if (!isStorableId(id)) throw notFound()
  const rev = readRev(query, 'rev')
  const options = { revs: readFlag(query, 'revs'), latest: readFlag(query, 'latest') }
  if (query.has('open_revs')) {
    const openRevs = query.get('open_revs') === 'all' ? 'all' : readOpenRevs(query)
    const leaves = await turn(() => stored.readOpenRevisions(id, { openRevs, ...options }))
    if (leaves) return leaves
    if (openRevs === 'all') throw notFound()
    return openRevs.map((missing) => ({ missing }))
  }
  const wanted = { ...options, ...(rev === undefined ? {} : { rev }) }
  const doc = await turn(() => stored.readRevision(id, wanted))
  if (!doc) throw notFound()
  return doc
}

function readOpenRevs(query: Query): string[] {
  const revs = readTexts(query, 'open_revs') ?? []
  if (revs.length > openRevsMax) throw tooLarge(`At most ${openRevsMax} revisions at once.`)
  if (revs.every(isRev)) return revs
  throw badRequest('Invalid rev format')
}

/** CouchDB's PUT of one document, through the same way in as a bulk push (P4). */
async function putDocument(database: SyncDatabase, request: Request, response: Response) {
  const id = String(request.params.id)
  if (id.startsWith('_')) throw forbidden('Design documents are not offered.')
  const isReplicated = request.query.new_edits === 'false'
  const body: unknown = request.body
  const doc = typeof body === 'object' && body !== null ? { ...body, _id: id } : body
  const [row] = await pushDocuments(database, { docs: [doc], isReplicated })
  if (row && 'error' in row) {
    throw row.error === 'conflict' ? conflict() : new CouchError(403, row.error, row.reason)
  }
  const rev = row?.rev ?? (doc as { _rev?: unknown })._rev
  sendJson(response, 201, { ok: true, id, rev })
}

async function getDocument(database: SyncDatabase, request: Request, response: Response) {
  const id = String(request.params.id)
  sendJson(response, 200, await answerDocument(database, { id, query: readQuery(request) }))
}
