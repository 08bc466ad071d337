import { StorageUnavailable } from './storage-unavailable.ts'

/** A database was removed for good: nothing is read or written there any more, whoever still asks. */
export class DatabaseGone extends StorageUnavailable {
  override name = 'DatabaseGone'
  readonly database: string

  constructor(database: string) {
    super(`${database} was removed for good`)
    this.database = database
  }
}
