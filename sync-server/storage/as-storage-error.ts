import { StorageUnavailable } from './storage-unavailable.ts'

/**
 * What leaves storage when a call failed. PouchDB's errors carry the status of an answer, which is nobody's who asks
 * this server; and what a CouchDB that is broken makes of a call is that nothing can be stored.
 */
export function asStorageError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageUnavailable) return error
  const status = 'status' in error ? error.status : undefined
  // A document that PouchDB itself refuses has 500, too.
  const isTheirs = typeof status === 'number' && status >= 500 && error.name !== 'doc_validation'
  if (isTheirs) return new StorageUnavailable(`CouchDB: ${error.message}`, { cause: error })
  return status === undefined ? error : new Error(`PouchDB: ${error.message}`, { cause: error })
}
