import type { RxCollection } from 'rxdb/plugins/core'
import type { Inbox, InboxDocument } from '../../database/storage/inbox.ts'
import { readDocuments } from '../../database/storage/read-documents.ts'

/**
 * The documents that the service worker fetched, for a replication that begins: they take the way
 * of pulled ones. Only those that the device lacks: of the others it may have a later version, and
 * the server gives what is later still.
 */
export interface KeptDocuments {
  take(epoch: string | undefined): Promise<InboxDocument['document'][]>
  /** May a given one, now or in an earlier run, still lie ahead of a gap? */
  isAhead(): boolean
  /** The catch-up has reached its end, and all of it is stored. */
  closeGaps(): Promise<void>
}

export function createKeptDocuments<T extends { _id: string }>(options: {
  inbox: Pick<Inbox, 'list' | 'drop'>
  collection: RxCollection<T>
  name: InboxDocument['collection']
  /** Does the device know whose chat it is of? What it does not know comes by replication alone. */
  isOfKnown?: (document: InboxDocument['document']) => boolean
  /** Notes what is given, before it is. @returns is anything ahead of a gap? */
  recordAhead?: (documents: readonly InboxDocument['document'][]) => Promise<boolean>
  closeGaps?: () => Promise<void>
}): KeptDocuments {
  const { inbox, collection, name, isOfKnown, recordAhead, closeGaps } = options
  // Until something says otherwise: an inbox that cannot be read leaves earlier notes as they are.
  let isAhead = recordAhead !== undefined
  return {
    async take(epoch) {
      const kept = (await inbox.list()).filter((each) => each.collection === name)
      const known = await readDocuments(
        collection,
        kept.map(({ _id }) => _id),
      )
      const isWanted = (each: (typeof kept)[number]) =>
        !known.has(each._id) &&
        (epoch === undefined || each.epoch === epoch) &&
        isOfKnown?.(each.document) !== false
      // What is given stays until the next start: by then the device has stored it.
      await inbox.drop(kept.filter((each) => !isWanted(each)))
      const given = kept.filter(isWanted).map(({ document }) => document)
      if (recordAhead) isAhead = await recordAhead(given)
      return given
    },
    isAhead: () => isAhead,
    async closeGaps() {
      if (!isAhead) return
      await closeGaps?.()
      isAhead = false
    },
  }
}
