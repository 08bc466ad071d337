import { StorageUnavailable } from './storage-unavailable.ts'

/** The database was removed permanently: all reads and writes fail. */
export class DatabaseGone extends StorageUnavailable {
  override name = 'DatabaseGone'
  readonly database: string

  constructor(database: string) {
    super(`${database} was removed for good`)
    this.database = database
  }
}
