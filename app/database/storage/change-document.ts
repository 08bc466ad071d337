import type { RxCollection, RxDocumentData } from 'rxdb/plugins/core'
import { readDocuments } from './read-documents.ts'

/**
 * Reads, changes and writes one document without losing concurrent writes from any tab. `change`
 * may run several times; returning its input writes nothing.
 *
 * @returns the stored document, or undefined when there is none and `create` gives none
 */
export async function changeDocument<T extends { _id: string }>(
  collection: RxCollection<T>,
  id: string,
  change: (current: T) => T,
  create?: () => T,
): Promise<T | undefined> {
  return (await changeDocuments(collection, [id], change, create)).get(id)
}

/**
 * The same for many in one read and one write; each succeeds on its own.
 * @returns those that then exist, by id
 */
export async function changeDocuments<T extends { _id: string }>(
  collection: RxCollection<T>,
  ids: readonly string[],
  change: (current: T, id: string) => T,
  create?: (id: string) => T,
): Promise<Map<string, T>> {
  const stored = new Map<string, T>()
  let open = ids
  while (open.length > 0) {
    const found = await readDocuments(collection, open)
    const rows: { previous?: RxDocumentData<T>; document: RxDocumentData<T> }[] = []
    for (const id of open) {
      const previous = found.get(id)
      const current = previous ?? create?.(id)
      if (!current) continue
      const next = change(current, id)
      stored.set(id, next)
      if (!previous || next !== current) rows.push(describeWrite(id, previous, next))
    }
    if (rows.length === 0) break
    const { error } = await collection.storageInstance.bulkWrite(rows, 'petrel-change')
    const failure = error.find(({ status }) => status !== 409)
    if (failure) throw new Error('The device could not store this change.', { cause: failure })
    // Another writer came first: read and change its version.
    open = error.map(({ documentId }) => documentId)
  }
  return stored
}

function describeWrite<T extends { _id: string }>(
  id: string,
  previous: RxDocumentData<T> | undefined,
  next: T,
): { previous?: RxDocumentData<T>; document: RxDocumentData<T> } {
  return {
    ...(previous && { previous }),
    document: {
      ...next,
      _id: id,
      _deleted: false,
      _attachments: {},
      _meta: { ...previous?._meta, lwt: 0 },
      _rev: previous?._rev ?? '',
    },
  }
}
