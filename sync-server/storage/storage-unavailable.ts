/** Nothing can be stored, or read, at the moment; `message` says why, for the operator. What was acknowledged is kept. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable'
}
