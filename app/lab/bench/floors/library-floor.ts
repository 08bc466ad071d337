import { createRoot } from 'react-dom/client'
import { createRxDatabase } from 'rxdb/plugins/core'
import { replicateCouchDB } from 'rxdb/plugins/replication-couchdb'
import { getRxStorageDexie } from 'rxdb/plugins/storage-dexie'

/** An app that only imports its libraries: the minimum size of a messenger built on them. */
Object.assign(globalThis, {
  libraries: [createRoot, createRxDatabase, replicateCouchDB, getRxStorageDexie],
})
