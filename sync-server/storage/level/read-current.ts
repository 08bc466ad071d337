import { StorageUnavailable } from '../databases/storage-unavailable.ts'
import type { Document, Stored } from '../documents/documents.ts'
import { readDocument, readEach } from '../documents/read-documents.ts'
import type { OpenDatabase } from './open-database.ts'
import { bySequence, documentStore, formatSeq, type PouchMetadata } from './pouch-keys.ts'

/**
 * The existing, undeleted documents, by id: read where PouchDB's adapter keeps them, because its
 * `get` queues behind writes, copies, and builds an error with a stack for a missing one. PouchDB
 * reads whatever is unusual.
 * @throws StorageUnavailable for a damaged one
 */
export async function readCurrent(
  { pouch, view }: Pick<OpenDatabase, 'pouch' | 'view'>,
  ids: ReadonlySet<string>,
): Promise<Map<string, Stored<Document>>> {
  async function read(id: string): Promise<Stored<Document> | undefined> {
    const isOrdinary = id !== '' && !id.startsWith('_')
    if (!isOrdinary) return await readDocument(await pouch(), id)
    const text = await view.read(documentStore + id)
    if (text === undefined) return undefined
    const { winningRev = '', rev_map, deleted }: PouchMetadata = parse(text)
    if (deleted === true) return undefined
    const seq = rev_map?.[winningRev]
    const body = seq === undefined ? undefined : await view.read(bySequence + formatSeq(seq))
    const doc: Stored<Document> | undefined = body === undefined ? undefined : parse(body)
    // A write may have replaced the version meanwhile; only PouchDB lists attachments.
    const isWhole = doc?._id === id && doc._rev === winningRev && !('_attachments' in doc)
    return deleted === false && isWhole ? doc : await readDocument(await pouch(), id)
  }

  const docs = await readEach(ids, read)
  return new Map(docs.map((doc) => [doc._id, doc]))
}

/**
 * PouchDB's own parser works for half a minute on a text that breaks off. The error has no cause:
 * that would quote the text.
 */
function parse(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    throw new StorageUnavailable('a stored document is damaged')
  }
}
