/**
 * Storage cannot write or read at the moment; `message` says why, for the operator. Acknowledged
 * data is safe.
 */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable'
}

/**
 * The data cannot be used until the operator does something: starting again would fail the same
 * way. `remedy` has further lines that say what.
 */
export class StoreUnusable extends StorageUnavailable {
  override name = 'StoreUnusable'
  readonly remedy: string

  constructor(words: string, { remedy = '', cause }: { remedy?: string; cause?: unknown } = {}) {
    super(words, { cause })
    this.remedy = remedy
  }
}

/** Is this the cause of an error? Sequential writes wrap it in an error that names the database. */
export function isStorageUnavailable(error: unknown): boolean {
  if (error instanceof StorageUnavailable) return true
  return error instanceof Error && error.cause !== undefined && isStorageUnavailable(error.cause)
}

/** The database was removed permanently: all reads and writes fail. */
export class DatabaseGone extends StorageUnavailable {
  override name = 'DatabaseGone'
  readonly database: string

  constructor(database: string) {
    super(`${database} was removed for good`)
    this.database = database
  }
}

/** What is stored of one document cannot be read; everything else can. */
export class DocumentDamaged extends StorageUnavailable {
  override name = 'DocumentDamaged'
}

/**
 * Maps a failed call's error for storage's callers. A database's refusals carry an HTTP status that
 * must not reach our clients, and errors of a broken CouchDB become StorageUnavailable.
 */
export function asStorageError(error: unknown): unknown {
  // CouchDB's answers are thrown as plain objects.
  if (typeof error !== 'object' || error === null || error instanceof StorageUnavailable)
    return error
  const { status, name, message, reason, error: kind } = error as Record<string, unknown>
  if (status === undefined) return error
  const words = String(message ?? reason ?? name)
  // pouchdb-server refuses a document with 500, too.
  const isTheirs = typeof status === 'number' && status >= 500 && kind !== 'doc_validation'
  return isTheirs
    ? new StorageUnavailable(`CouchDB: ${words}`, { cause: error })
    : new Error(`The database answered: ${words}`, { cause: error })
}

/** CouchDB refuses the login of `COUCHDB_URL`, or a right that the server needs. */
export class LoginRefused extends StorageUnavailable {
  override name = 'LoginRefused'
}
