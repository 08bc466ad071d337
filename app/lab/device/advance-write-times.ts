import { finish } from './read-stored-documents.ts'

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
    const opened = await finish(indexedDB.open(name))
    const store = opened.transaction('docs', 'readwrite').objectStore('docs')
    for (const record of (await finish(store.getAll())) as Record[]) {
      if (record._meta) record._meta.lwt += ms
      if (record.checkpointData?.lwt) record.checkpointData.lwt += ms
      await finish(store.put(record))
    }
    opened.close()
  }
}
