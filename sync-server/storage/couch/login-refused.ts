import { StorageUnavailable } from '../databases/storage-unavailable.ts'

/** CouchDB refuses the login of `COUCHDB_URL`, or a right that the server needs. */
export class LoginRefused extends StorageUnavailable {
  override name = 'LoginRefused'
}
