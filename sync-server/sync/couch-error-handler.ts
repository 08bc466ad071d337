import type { ErrorRequestHandler } from 'express'
import { apiErrors } from '../../schema/api/api-error.ts'
import { RequestRefused } from '../http/core/request-refused.ts'
import { isPastEnd } from '../lib/is-past-end.ts'
import { isStorageUnavailable } from '../storage/databases/storage-unavailable.ts'
import { CouchError } from './couch-error.ts'
import { sendJson } from './send-json.ts'

const retryAfterSeconds = 5

const errorNames: Record<number, string> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'conflict',
  413: 'too_large',
  415: 'bad_content_type',
  429: 'too_many_requests',
  503: 'service_unavailable',
  507: 'insufficient_storage',
}

/**
 * Messages of Express and its body parser may contain parts of the request and our internal names.
 */
const reasons: Record<number, string> = {
  400: 'The request cannot be read.',
  413: 'The body is too large.',
  415: 'The body must be JSON in UTF-8, plain or packed with gzip.',
}

/** Answers every error beneath `/sync` like CouchDB; reports only server faults to `onError`. */
export function createCouchErrorHandler(options: {
  onError: (error: unknown) => void
}): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (isPastEnd(request, error)) return
    const refused = asCouchError(error)
    request.refusalCode = refused.error
    if (refused.status >= 500 && refused.status !== 507) options.onError(error)
    if (response.headersSent) return next(error)
    if (error instanceof RequestRefused) response.set(error.headers)
    if (refused.status === 401) response.set('www-authenticate', 'Bearer')
    // Does not wait for the rest of a body that is too large.
    if (refused.status === 503) response.set('retry-after', String(retryAfterSeconds))
    if (refused.status === 413) response.set('connection', 'close')
    sendJson(response, refused.status, { error: refused.error, reason: refused.message })
  }
}

/**
 * Errors of Express, its body parser and the access check carry a `status`; anything else is a
 * server fault.
 */
function asCouchError(error: unknown): CouchError {
  if (error instanceof CouchError) return error
  if (isStorageUnavailable(error)) {
    return new CouchError(503, 'storage_unavailable', apiErrors.storage_unavailable.error)
  }
  if (error instanceof RequestRefused) {
    const { status, reason, message } = error
    return new CouchError(status, errorNames[status] ?? reason, message)
  }
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  if (typeof status === 'number' && status >= 400 && status < 500) {
    const reason = reasons[status] ?? 'The request was refused.'
    return new CouchError(status, errorNames[status] ?? 'bad_request', reason)
  }
  return new CouchError(500, 'internal_server_error', 'Something went wrong on our side.')
}
