import type { ErrorRequestHandler } from 'express'
import { type ApiErrorCode, apiErrors, type ErrorAnswer } from '../../../schema/api/api-error.ts'
import { HasherBusy } from '../../access/passwords/password-hasher.ts'
import { PersonGone } from '../../access/person-gone.ts'
import { isPastEnd } from '../../lib/is-past-end.ts'
import type { Log } from '../../lib/log.ts'
import { isStorageUnavailable } from '../../storage/databases/storage-unavailable.ts'
import { RequestRefused } from '../core/request-refused.ts'

const storageRetrySeconds = 5

/** Turns every error into an answer `{error, code, details?}`; logs only server faults. */
export function createErrorHandler({ log }: { log: Log }): ErrorRequestHandler {
  return (thrown, request, response, _next) => {
    const refused = asRefusal(thrown)
    if (isPastEnd(request, thrown)) return
    request.refusalCode = refused.reason
    if (refused.status >= 500 && refused.status !== 507)
      log.error({ err: thrown, requestId: request.id }, 'request failed')
    // Express would write the error to stderr, with its stack.
    if (response.headersSent) return void response.destroy()
    const { message: error, reason: code, details, messageId } = refused
    const answer: ErrorAnswer = {
      error,
      code,
      ...(details !== undefined && { details }),
      ...(messageId !== undefined && { messageId }),
    }
    response.status(refused.status).set(refused.headers)
    if (refused.status === 401) response.set('www-authenticate', 'Bearer')
    // Does not wait for the rest of a body that is too large.
    if (refused.status === 413) response.set('connection', 'close')
    response.json(answer)
  }
}

/**
 * Errors of Express and its body parser carry a `type` or a `status`; anything else is a server
 * fault.
 */
function asRefusal(error: unknown): RequestRefused {
  if (error instanceof RequestRefused) return error
  if (error instanceof HasherBusy)
    return new RequestRefused('busy', { headers: { 'retry-after': '2' } })
  if (isStorageUnavailable(error)) {
    const headers = { 'retry-after': String(storageRetrySeconds) }
    return new RequestRefused('storage_unavailable', { headers, cause: error })
  }
  if (error instanceof PersonGone) return new RequestRefused('session_ended')
  const { type, status } = (error ?? {}) as { type?: unknown; status?: unknown }
  if (type === 'entity.too.large') return new RequestRefused('too_large')
  if (type === 'entity.parse.failed') return new RequestRefused('not_json')
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new RequestRefused(reasonForStatus(status))
  }
  return new RequestRefused('internal_error')
}

function reasonForStatus(status: number): ApiErrorCode {
  const known: ApiErrorCode[] = ['not_found', 'too_large', 'json_required']
  return known.find((code) => apiErrors[code].status === status) ?? 'invalid_input'
}
