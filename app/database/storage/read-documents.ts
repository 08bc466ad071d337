import {
  type MangoQuery,
  normalizeMangoQuery,
  prepareQuery,
  type RxCollection,
  type RxDocumentData,
} from 'rxdb/plugins/core'

/**
 * A query that names the fields of its index, so that no sort and no count ever reads a whole
 * range.
 */
export type IndexedQuery<T> = MangoQuery<T> & { index: string[] }

/**
 * Reads plain documents straight from the storage: no document objects, no query cache, no
 * freezing.
 */
export async function queryDocuments<T>(
  collection: RxCollection<T>,
  query: IndexedQuery<T>,
): Promise<RxDocumentData<T>[]> {
  const prepared = prepare(collection, query)
  if (!prepared.queryPlan.sortSatisfiedByIndex) {
    throw new Error('This query sorts what it has read: it needs an index in its order.')
  }
  return (await collection.storageInstance.query(prepared)).documents
}

/** Counts by the index alone, whatever the number of documents. */
export async function countDocuments<T>(
  collection: RxCollection<T>,
  query: IndexedQuery<T>,
): Promise<number> {
  const { count, mode } = await collection.storageInstance.count(prepare(collection, query))
  if (mode === 'slow') throw new Error('This count reads documents: it needs an index of its own.')
  return count
}

/** RxDB begins each index with `_deleted` and ends it with the key. */
function prepare<T>(collection: RxCollection<T>, query: IndexedQuery<T>) {
  const { schema } = collection.storageInstance
  const index = ['_deleted', ...query.index]
  const selector = { _deleted: { $eq: false }, ...query.selector }
  return prepareQuery<T>(
    schema,
    normalizeMangoQuery<T>(schema, { ...query, index, selector } as MangoQuery<T>),
  )
}

/** The existing documents among these ids, by id. */
export async function readDocuments<T>(
  collection: RxCollection<T>,
  ids: readonly string[],
): Promise<Map<string, RxDocumentData<T>>> {
  if (ids.length === 0) return new Map()
  const { primaryPath } = collection.schema
  const found = await collection.storageInstance.findDocumentsById([...ids], false)
  return new Map(found.map((document) => [String(document[primaryPath]), document]))
}
