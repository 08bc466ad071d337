import type { ErrorRequestHandler } from 'express'
import { isPastEnd } from '../lib/is-past-end.ts'
import { describeRefusal } from './describe-refusal.ts'
import { sendJson } from './send-json.ts'

/** Answers every error beneath `/sync` like CouchDB; reports only server faults to `onError`. */
export function createCouchErrorHandler(options: {
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
