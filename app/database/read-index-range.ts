import type { Transaction } from 'dexie'
import type { PreparedQuery, RxCollection, RxDocumentData } from 'rxdb/plugins/core'
import {
  DEXIE_DOCS_TABLE_NAME,
  fromDexieToStorage,
  getKeyRangeByQueryPlan,
  type RxStorageInstanceDexie,
} from 'rxdb/plugins/storage-dexie'

type Internals = Awaited<RxStorageInstanceDexie<unknown>['internals']>

/**
 * Reads what lies between two keys of an index with one request. RxDB's own query walks a cursor, which is a
 * task of the page for each document, and never answers when IndexedDB fails on the way.
 *
 * @param prepared a query that its index answers alone, in its order
 */
export async function readIndexRange<T>(
  collection: RxCollection<T>,
  prepared: PreparedQuery<T>,
): Promise<RxDocumentData<T>[]> {
  const internals = (await collection.storageInstance.internals) as Internals
  const { dexieDb, dexieTable, booleanIndexes } = internals
  const { query, queryPlan } = prepared
  const range = makeRange(() =>
    getKeyRangeByQueryPlan(booleanIndexes, queryPlan, rangesOf(dexieDb)),
  )
  if (!range) return []
  const indexName = `[${queryPlan.index.join('+')}]`
  const stored: unknown[] = await dexieDb.transaction(
    'r',
    dexieTable,
    ({ idbtrans }: Transaction) => {
      const index = idbtrans.objectStore(DEXIE_DOCS_TABLE_NAME).index(indexName)
      return settle(index.getAll(range, query.limit))
    },
  )
  return stored.map((document) => fromDexieToStorage<T>(booleanIndexes, document))
}

/** Nothing when it would end before it begins, which IndexedDB takes as an error. */
function makeRange(make: () => IDBKeyRange): IDBKeyRange | undefined {
  try {
    return make()
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'DataError') return undefined
    throw cause
  }
}

/** The `IDBKeyRange` that the database was opened with: tests bring their own. */
function rangesOf(dexie: object): typeof IDBKeyRange | undefined {
  return (dexie as { _options?: { IDBKeyRange?: typeof IDBKeyRange } })._options?.IDBKeyRange
}

function settle<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
