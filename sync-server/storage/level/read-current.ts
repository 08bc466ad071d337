import type { Document, Stored } from '../documents/documents.ts'
import { readDocument, readEach } from '../documents/read-documents.ts'
import { DocumentDamaged } from '../documents/storage-errors.ts'
import type { OpenDatabase } from './level-database.ts'
import {
  bySequence,
  documentStore,
  formatSeq,
  type PouchMetadata,
  type WholeMetadata,
} from './pouch-keys.ts'

/** What is stored of a document. */
export interface Current {
  /** Unless it is missing or deleted. */
  doc?: Stored<Document> | undefined
  /** As PouchDB keeps it: parsed for this reader alone. */
  metadata?: WholeMetadata | undefined
}

/**
 * What is stored of each id: read where PouchDB's adapter keeps it, because its `get` queues behind
 * writes, copies, and builds an error with a stack for a missing document. PouchDB reads whatever is
 * unusual.
 * @throws DocumentDamaged for a damaged one
 */
export async function readWithMetadata(
  { pouch, view }: Pick<OpenDatabase, 'pouch' | 'view'>,
  ids: ReadonlySet<string>,
): Promise<Map<string, Current>> {
  async function read(id: string): Promise<Current> {
    const isOrdinary = id !== '' && !id.startsWith('_')
    if (!isOrdinary) return { doc: await readDocument(await pouch(), id) }
    const text = await view.read(documentStore + id)
    if (text === undefined) return {}
    const metadata: WholeMetadata = parse(text)
    const { winningRev = '', rev_map, deleted }: PouchMetadata = metadata
    if (deleted === true) return { metadata }
    const seq = rev_map?.[winningRev]
    const body = seq === undefined ? undefined : await view.read(bySequence + formatSeq(seq))
    const doc: Stored<Document> | undefined = body === undefined ? undefined : parse(body)
    // A write may have replaced the version meanwhile; only PouchDB lists attachments.
    const isWhole = doc?._id === id && doc._rev === winningRev && !('_attachments' in doc)
    if (deleted === false && isWhole) return { doc, metadata }
    return { doc: await readDocument(await pouch(), id), metadata }
  }

  return await readEach(ids, read)
}

/** The existing, undeleted documents, by id. @throws DocumentDamaged for a damaged one */
export async function readCurrent(
  database: Pick<OpenDatabase, 'pouch' | 'view'>,
  ids: ReadonlySet<string>,
): Promise<Map<string, Stored<Document>>> {
  return pickDocuments(await readWithMetadata(database, ids))
}

/** The documents that exist, by id. */
export function pickDocuments(current: ReadonlyMap<string, Current>) {
  const docs = new Map<string, Stored<Document>>()
  for (const [id, { doc }] of current) if (doc) docs.set(id, doc)
  return docs
}

/**
 * PouchDB's own parser works for half a minute on a text that breaks off. The error has no cause:
 * that would quote the text.
 */
function parse(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    throw new DocumentDamaged('a stored document is damaged')
  }
}
