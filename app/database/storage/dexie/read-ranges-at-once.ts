import type { Transaction } from 'dexie'
import type { PreparedQuery, RxDocumentData } from 'rxdb/plugins/core'
import {
  DEXIE_DOCS_TABLE_NAME,
  fromDexieToStorage,
  getKeyRangeByQueryPlan,
  type RxStorageDexie,
  type RxStorageInstanceDexie,
} from 'rxdb/plugins/storage-dexie'
import { settleRequest } from './settle-request.ts'

/**
 * Reads the range between two keys with one request when the index alone answers the query. RxDB
 * uses a cursor: one page task per document, and no answer at all when IndexedDB fails midway.
 */
export function readRangesAtOnce(storage: RxStorageDexie): void {
  const create = storage.createStorageInstance.bind(storage)
  storage.createStorageInstance = async (parameters) => {
    const instance = await create(parameters)
    const walk = instance.query.bind(instance)
    instance.query = async (prepared) =>
      isRange(prepared) ? { documents: await readRange(instance, prepared) } : walk(prepared)
    return instance
  }
}

function isRange<T>({ query, queryPlan }: PreparedQuery<T>): boolean {
  const isPlain = !query.skip && query.limit !== 0
  return isPlain && queryPlan.selectorSatisfiedByIndex && queryPlan.sortSatisfiedByIndex
}

async function readRange<T>(
  instance: RxStorageInstanceDexie<T>,
  { query, queryPlan }: PreparedQuery<T>,
): Promise<RxDocumentData<T>[]> {
  const { dexieDb, dexieTable, booleanIndexes } = await instance.internals
  const range = makeRange(() =>
    getKeyRangeByQueryPlan(booleanIndexes, queryPlan, rangesOf(dexieDb)),
  )
  if (!range) return []
  const indexName = `[${queryPlan.index.join('+')}]`
  const stored = await dexieDb.transaction('r', dexieTable, ({ idbtrans }: Transaction) => {
    const index = idbtrans.objectStore(DEXIE_DOCS_TABLE_NAME).index(indexName)
    return settleRequest(index.getAll(range, query.limit))
  })
  return stored.map((document) => fromDexieToStorage<T>(booleanIndexes, document))
}

/** Undefined for a range that ends before it begins, which IndexedDB rejects. */
function makeRange(make: () => IDBKeyRange): IDBKeyRange | undefined {
  try {
    return make()
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'DataError') return undefined
    throw cause
  }
}

/** The `IDBKeyRange` that the database was opened with: tests inject their own. */
function rangesOf(dexie: object): typeof IDBKeyRange | undefined {
  return (dexie as { _options?: { IDBKeyRange?: typeof IDBKeyRange } })._options?.IDBKeyRange
}
