import { settleRequest } from '../../database/storage/dexie/owed-notes.ts'

interface Record {
  _meta?: { lwt: number }
  checkpointData?: { lwt?: number }
}

/**
 * Advances all of RxDB's write times, as if the device's clock had been ahead and was then
 * corrected. Call it while no tab is open.
 */
export async function advanceWriteTimes(indexedDB: IDBFactory, ms: number): Promise<void> {
  for (const { name = '' } of await indexedDB.databases()) {
    if (!name.startsWith('rxdb-dexie-')) continue
    const opened = await settleRequest(indexedDB.open(name))
    const store = opened.transaction('docs', 'readwrite').objectStore('docs')
    for (const record of (await settleRequest(store.getAll())) as Record[]) {
      if (record._meta) record._meta.lwt += ms
      if (record.checkpointData?.lwt) record.checkpointData.lwt += ms
      await settleRequest(store.put(record))
    }
    opened.close()
  }
}
