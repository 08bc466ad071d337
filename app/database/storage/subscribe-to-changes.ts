import type { RxCollection, RxDocumentData } from 'rxdb/plugins/core'

/** A write's changes, one bulk at a time, from any tab. */
export interface ChangeBulk<T> {
  documents: RxDocumentData<T>[]
  /** The write's origin: replication names itself here. */
  context: string
}

/** Calls back for every write to a collection until the returned function is called. */
export function subscribeToChanges<T>(
  collection: RxCollection<T>,
  listener: (bulk: ChangeBulk<T>) => void,
): () => void {
  const subscription = collection.eventBulks$.subscribe((bulk) => {
    listener({ documents: bulk.events.map((event) => event.documentData), context: bulk.context })
  })
  return () => subscription.unsubscribe()
}
