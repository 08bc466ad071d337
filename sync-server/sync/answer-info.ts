import type { SyncDatabase } from './sync-database.ts'

/**
 * CouchDB's root answer: clients identify the server by it. PouchDB names its checkpoints by
 * `uuid`, so that it begins again in a new epoch of the installation.
 */
export function describeServer(epoch: string) {
  const uuid = epoch.replaceAll('-', '')
  return { couchdb: 'Welcome', version: '3.3.0', uuid, vendor: { name: 'Petrel' } }
}

/** CouchDB's information on a database. */
export async function describeDatabase({ name, stored }: SyncDatabase) {
  const { docCount, updateSeq } = await stored.info()
  return {
    db_name: name,
    doc_count: docCount,
    doc_del_count: 0,
    update_seq: updateSeq,
    // CouchDB's replicator compares it between requests; databases here are never recreated.
    instance_start_time: '0',
  }
}
