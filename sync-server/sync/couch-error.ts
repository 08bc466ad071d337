/** A refusal in CouchDB's format: `{ "error": "machine_word", "reason": "words" }`. */
export class CouchError extends Error {
  override name = 'CouchError'
  readonly status: number
  readonly error: string

  constructor(status: number, error: string, reason: string) {
    super(reason)
    this.status = status
    this.error = error
  }
}

export function notFound(reason = 'missing'): CouchError {
  return new CouchError(404, 'not_found', reason)
}

export function forbidden(reason: string): CouchError {
  return new CouchError(403, 'forbidden', reason)
}

export function badRequest(reason: string): CouchError {
  return new CouchError(400, 'bad_request', reason)
}

export function tooLarge(reason: string): CouchError {
  return new CouchError(413, 'too_large', reason)
}

export function conflict(): CouchError {
  return new CouchError(409, 'conflict', 'Document update conflict.')
}
