import { apiErrors } from '../../schema/api/api-error.ts'
import { RequestRefused } from '../http/core/request-refused.ts'
import { isStorageUnavailable } from '../storage/documents/storage-errors.ts'
import { CouchError } from './couch-error.ts'

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

/** How an error is answered beneath `/sync`, by a request or over a socket. */
export interface DescribedRefusal {
  status: number
  /** In CouchDB's format. */
  body: { error: string; reason: string }
  headers: Record<string, string>
  /** Is the server at fault, so that its operator has to hear of it? */
  isFault: boolean
}

export function describeRefusal(cause: unknown): DescribedRefusal {
  const { status, error, message } = asCouchError(cause)
  return {
    status,
    body: { error, reason: message },
    headers: {
      ...(cause instanceof RequestRefused && cause.headers),
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      ...(status === 503 && { 'retry-after': String(retryAfterSeconds) }),
    },
    isFault: status >= 500 && status !== 507,
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
