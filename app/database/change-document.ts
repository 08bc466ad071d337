import type { RxCollection } from 'rxdb/plugins/core'

/**
 * Reads, changes and writes one document so that no write in between is lost, whichever tab it comes from.
 * `change` may run several times; returning what it was given writes nothing.
 *
 * @returns the document as it is stored then, or undefined when there is none and `create` gives none.
 */
export async function changeDocument<T extends { _id: string }>(
  collection: RxCollection<T>,
  id: string,
  change: (current: T) => T,
  create?: () => T,
): Promise<T | undefined> {
  const { storageInstance } = collection
  for (;;) {
    const [previous] = await storageInstance.findDocumentsById([id], false)
    const current = previous ?? create?.()
    if (!current) return undefined
    const next = change(current)
    if (previous && next === current) return previous
    const { error } = await storageInstance.bulkWrite(
      [
        {
          ...(previous && { previous }),
          document: {
            ...next,
            _id: id,
            _deleted: false,
            _attachments: {},
            _meta: { ...previous?._meta, lwt: 0 },
            _rev: previous?._rev ?? '',
          },
        },
      ],
      'petrel-change',
    )
    const [failure] = error
    if (!failure) return next
    if (failure.status !== 409)
      throw new Error('The device could not store this change.', { cause: failure })
  }
}
