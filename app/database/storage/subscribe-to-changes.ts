import type { RxCollection, RxDocumentData } from 'rxdb/plugins/core'

/** What a write changed, one bulk at a time, whichever tab wrote it. */
export interface ChangeBulk<T> {
  documents: RxDocumentData<T>[]
  /** Why it was written: replication names itself here. */
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
