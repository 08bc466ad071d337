import type { Request, Response } from 'express'
import { badRequest, CouchError, conflict, forbidden, notFound, tooLarge } from './couch-error.ts'
import { pushDocuments } from './push-documents.ts'
import { isStorableId } from './read-proposal.ts'
import { isRev, type Query, readFlag, readQuery, readRev, readTexts } from './read-query.ts'
import { sendJson } from './send-json.ts'
import type { SyncDatabase } from './sync-database.ts'

const openRevsMax = 100

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
export async function putDocument(database: SyncDatabase, request: Request, response: Response) {
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

export async function getDocument(database: SyncDatabase, request: Request, response: Response) {
  const id = String(request.params.id)
  sendJson(response, 200, await answerDocument(database, { id, query: readQuery(request) }))
}
