/**
 * Storage cannot write or read at the moment; `message` says why, for the operator. Acknowledged
 * data is safe.
 */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable'
}

/** Is this the cause of an error? Sequential writes wrap it in an error that names the database. */
export function isStorageUnavailable(error: unknown): boolean {
  if (error instanceof StorageUnavailable) return true
  return error instanceof Error && error.cause !== undefined && isStorageUnavailable(error.cause)
}
