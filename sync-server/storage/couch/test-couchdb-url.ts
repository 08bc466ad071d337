/** For tests and benchmarks: a CouchDB 3 of the person who runs them, with the login of a server admin in it. */
export const testCouchdbUrl = process.env.TEST_COUCHDB_URL || undefined
