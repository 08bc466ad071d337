import type { ErrorRequestHandler } from 'express'
import { apiErrors } from '../../schema/api-error.ts'
import { StorageUnavailable } from '../storage/storage-unavailable.ts'
import { CouchError } from './couch-error.ts'
import { sendJson } from './send-json.ts'

const retryAfterSeconds = 5

const errorNames: Record<number, string> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'too_large',
  415: 'bad_content_type',
}

/** Answers every error beneath `/sync` as CouchDB would; only our own faults are told to `onError`. */
export function createCouchErrorHandler(options: {
  onError: (error: unknown) => void
}): ErrorRequestHandler {
  return (error, request, response, next) => {
    const refused = asCouchError(error)
    request.refusalCode = refused.error
    if (refused.status >= 500) options.onError(error)
    if (response.headersSent) return next(error)
    if (refused.status === 401) response.set('www-authenticate', 'Bearer')
    // What is left of a body that was too large is not waited for.
    if (refused.status === 503) response.set('retry-after', String(retryAfterSeconds))
    if (refused.status === 413) response.set('connection', 'close')
    sendJson(response, refused.status, { error: refused.error, reason: refused.message })
  }
}

/** Errors of Express, of its body parser and of the access check carry a `status`; anything else is our own fault. */
function asCouchError(error: unknown): CouchError {
  if (error instanceof CouchError) return error
  if (error instanceof StorageUnavailable) {
    return new CouchError(503, 'storage_unavailable', apiErrors.storage_unavailable.error)
  }
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  if (typeof status === 'number' && status >= 400 && status < 500) {
    const reason = error instanceof Error ? error.message : 'refused'
    return new CouchError(status, errorNames[status] ?? 'bad_request', reason)
  }
  return new CouchError(500, 'internal_server_error', 'Something went wrong on our side.')
}
