import type { Request, Response } from 'express'
import { createCheckpoints } from './checkpoints.ts'
import { badRequest, conflict, notFound, tooLarge } from './couch-error.ts'
import { isRev } from './read-query.ts'
import { sendJson } from './send-json.ts'
import type { SyncDatabase } from './sync-database.ts'

const idMaxLength = 256
/** The characters in replicators' checkpoint names: Base64 and the like. */
const idPattern = /^[\w.~+/=:@-]+$/
const localMaxBytes = 64 * 1024

/**
 * Checkpoints of replicating clients, in the person's own database, so that two people never share
 * one.
 */
export async function getLocalDocument(
  { stored }: SyncDatabase,
  request: Request,
  response: Response,
) {
  const doc = await createCheckpoints(stored).read(readId(request))
  if (!doc) throw notFound()
  sendJson(response, 200, doc)
}

export async function putLocalDocument(
  { stored }: SyncDatabase,
  request: Request,
  response: Response,
) {
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
