import { StorageUnavailable } from '../databases/storage-unavailable.ts'

/** CouchDB does not take the login of `COUCHDB_URL`, or does not let it do what the server has to. */
export class LoginRefused extends StorageUnavailable {
  override name = 'LoginRefused'
}
