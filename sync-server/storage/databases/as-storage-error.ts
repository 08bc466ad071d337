import { StorageUnavailable } from './storage-unavailable.ts'

/**
 * Maps a failed call's error for storage's callers. PouchDB's errors carry an HTTP status that must
 * not reach our clients, and errors of a broken CouchDB become StorageUnavailable.
 */
export function asStorageError(error: unknown): unknown {
  // PouchDB throws CouchDB's answers as plain objects.
  if (typeof error !== 'object' || error === null || error instanceof StorageUnavailable)
    return error
  const { status, name, message, reason } = error as Record<string, unknown>
  if (status === undefined) return error
  const words = String(message ?? reason ?? name)
  // PouchDB's own refusal of a document also has 500.
  const isTheirs = typeof status === 'number' && status >= 500 && name !== 'doc_validation'
  return isTheirs
    ? new StorageUnavailable(`CouchDB: ${words}`, { cause: error })
    : new Error(`PouchDB: ${words}`, { cause: error })
}
