import { StorageUnavailable } from './storage-unavailable.ts'

/**
 * What leaves storage when a call failed. PouchDB's errors carry the status of an answer, which is nobody's who asks
 * this server; and what a CouchDB that is broken makes of a call is that nothing can be stored.
 */
export function asStorageError(error: unknown): unknown {
  // PouchDB throws CouchDB's answers as they are, without making errors of them.
  if (typeof error !== 'object' || error === null || error instanceof StorageUnavailable)
    return error
  const { status, name, message, reason } = error as Record<string, unknown>
  if (status === undefined) return error
  const words = String(message ?? reason ?? name)
  // A document that PouchDB itself refuses has 500, too.
  const isTheirs = typeof status === 'number' && status >= 500 && name !== 'doc_validation'
  return isTheirs
    ? new StorageUnavailable(`CouchDB: ${words}`, { cause: error })
    : new Error(`PouchDB: ${words}`, { cause: error })
}
