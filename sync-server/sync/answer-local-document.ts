import type { Request, Response } from 'express'
import { badRequest, conflict, notFound, tooLarge } from './couch-error.ts'
import { sendJson } from './send-json.ts'
import type { SyncDatabase } from './sync-database.ts'

const idMaxLength = 256
const localMaxBytes = 64 * 1024

/** Checkpoints of replicating clients. They lie in the person's own database, so two people never share one. */
export async function getLocalDocument(
  { stored }: SyncDatabase,
  request: Request,
  response: Response,
) {
  const doc = await stored.readLocal(readId(request))
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
  const { _rev, _id, _deleted, _attachments, ...fields } = body as Record<string, unknown>
  const seen = typeof _rev === 'string' ? { _rev } : {}
  const rev = await stored.writeLocal(id, { ...fields, ...seen })
  if (rev === undefined) throw conflict()
  sendJson(response, 201, { ok: true, id: `_local/${id}`, rev })
}

function readId(request: Request): string {
  const id = String(request.params.localId)
  if (id.length > idMaxLength) throw badRequest('This id is too long.')
  return id
}
