/** Nothing can be stored, or read, at the moment; `message` says why, for the operator. What was acknowledged is kept. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable'
}

/** Is this why an error came about? What is written database after database says first which of them it was. */
export function isStorageUnavailable(error: unknown): boolean {
  if (error instanceof StorageUnavailable) return true
  return error instanceof Error && error.cause !== undefined && isStorageUnavailable(error.cause)
}
