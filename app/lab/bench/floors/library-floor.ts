import { createRoot } from 'react-dom/client'
import { createRxDatabase } from 'rxdb/plugins/core'
import { replicateCouchDB } from 'rxdb/plugins/replication-couchdb'
import { getRxStorageDexie } from 'rxdb/plugins/storage-dexie'

/** An app that only names its libraries: what no messenger built on them can be smaller than. */
Object.assign(globalThis, {
  libraries: [createRoot, createRxDatabase, replicateCouchDB, getRxStorageDexie],
})
