import express, { type Request, type RequestHandler, type Response } from 'express'
import { epochHeader } from '../../schema/api/epoch-header.ts'
import { must } from '../../schema/helpers/must.ts'
import { limits } from '../../schema/limits.ts'
import type { TokenHolder } from '../access/token-keeper.ts'
import { budgetLimits } from '../budget/budget-limits.ts'
import { type Doorman, visitOf } from '../budget/doorman.ts'
import type { FairQueue } from '../budget/fair-queue.ts'
import { createJsonReader } from '../http/core/json-reader.ts'
import { requireServedWire } from '../http/middleware/wire-check.ts'
import type { Storage } from '../storage/storage.ts'
import { answerAllDocs } from './answer-all-docs.ts'
import { answerChanges } from './answer-changes.ts'
import { getDocument, putDocument } from './answer-document.ts'
import { getLocalDocument, putLocalDocument } from './answer-local-document.ts'
import { answerBulkGet, answerRevsDiff } from './answer-revisions.ts'
import { CouchError, forbidden, notFound } from './couch-error.ts'
import { createCouchErrorHandler } from './couch-error-handler.ts'
import { createDatabaseFinder } from './database-finder.ts'
import type { Epochs } from './epochs.ts'
import { pushDocuments } from './push-documents.ts'
import { readChangesQuery } from './read-changes-query.ts'
import { readQuery } from './read-query.ts'
import { sendJson } from './send-json.ts'
import type { SyncDatabase } from './sync-database.ts'

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
  authenticate: (request: Request) => Promise<TokenHolder>
  doorman: Pick<Doorman, 'admit' | 'takeBody'>
  reads: Pick<FairQueue, 'once'>
  onError: (error: unknown) => void
}) {
  const { storage, epochs, acceptance, authenticate, doorman, reads, onError } = options
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
  const find = (request: Request, response: Response) => {
    const { userId: actorId, sessionId } = must(request.caller, 'a caller')
    const made: { signal?: AbortSignal } = {}
    // Most requests write, and never use it.
    const takeSignal = () => (made.signal ??= signalGone(response))
    return findDatabase({ name: String(request.params.database), actorId, sessionId, takeSignal })
  }
  /** Checks access and existence before reading the body. */
  const readJson: RequestHandler = (request, response, next) => {
    find(request, response)
    parseJson(request, response, next)
  }
  const answer =
    (operation: string, respond: Answer): RequestHandler =>
    async (request, response) => {
      const database = find(request, response)
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

  router.get(
    '/:database',
    answer('', async (database, _request, response) =>
      sendJson(response, 200, await describeDatabase(database)),
    ),
  )
  router.put(
    '/:database',
    answer('', async () => {
      throw new CouchError(412, 'file_exists', 'The database is there already.')
    }),
  )
  router.route('/:database/_changes').get(changes).post(readJson, changes)
  router.route('/:database/_all_docs').get(allDocs).post(readJson, allDocs)
  router.post(
    '/:database/_bulk_docs',
    readJson,
    answer('_bulk_docs', async (database, request, response) => {
      const { docs, new_edits } = (request.body ?? {}) as { docs?: unknown; new_edits?: unknown }
      const isReplicated = new_edits === false
      sendJson(response, 201, await pushDocuments(database, { docs, isReplicated }))
    }),
  )
  router.post(
    '/:database/_bulk_get',
    readJson,
    answer('_bulk_get', async (database, request, response) => {
      const query = new Map<string, unknown>(Object.entries(request.query))
      await answerBulkGet({ database, body: request.body, query, response })
    }),
  )
  router.post(
    '/:database/_revs_diff',
    readJson,
    answer('_revs_diff', async (database, request, response) =>
      sendJson(response, 200, await answerRevsDiff(database, request.body)),
    ),
  )
  router.post(
    '/:database/_ensure_full_commit',
    answer('_ensure_full_commit', async (_database, _request, response) =>
      sendJson(response, 201, { ok: true, instance_start_time: '0' }),
    ),
  )
  router
    .route('/:database/_local/:localId')
    .get(answer('_local', getLocalDocument))
    .put(readJson, answer('_local', putLocalDocument))
  router.all(
    ['/:database/_design/*rest', '/:database/:id/*attachment'],
    answer('', async (_database, request) => {
      if (request.method === 'GET' || request.method === 'HEAD') throw notFound()
      throw forbidden('Design documents and attachments are not offered here.')
    }),
  )
  router
    .route('/:database/:id')
    .get(answer('document', getDocument))
    .put(readJson, answer('document', putDocument))
  router.all(
    '/:database{/*rest}',
    answer('', async () => {
      throw forbidden('This part of CouchDB is not offered here.')
    }),
  )
  router.use(createCouchErrorHandler({ onError }))
  return router
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
