import type { RxCollection } from 'rxdb/plugins/core'
import type { Inbox, InboxDocument } from '../../database/inbox/inbox.ts'
import { readDocuments } from '../../database/storage/read-documents.ts'

/**
 * The documents that the service worker fetched, for a replication that begins: they take the way
 * of pulled ones. Only those that the device lacks: of the others it may have a later version, and
 * the server gives what is later still.
 */
export interface KeptDocuments {
  take(epoch: string | undefined): Promise<InboxDocument['document'][]>
}

export function createKeptDocuments<T extends { _id: string }>(options: {
  inbox: Pick<Inbox, 'list' | 'drop'>
  collection: RxCollection<T>
  name: InboxDocument['collection']
}): KeptDocuments {
  const { inbox, collection, name } = options
  return {
    async take(epoch) {
      const kept = (await inbox.list()).filter((each) => each.collection === name)
      const known = await readDocuments(
        collection,
        kept.map(({ _id }) => _id),
      )
      const isWanted = (each: (typeof kept)[number]) =>
        !known.has(each._id) && (epoch === undefined || each.epoch === epoch)
      // What is given stays until the next start: by then the device has stored it.
      await inbox.drop(kept.filter((each) => !isWanted(each)))
      return kept.filter(isWanted).map(({ document }) => document)
    },
  }
}
