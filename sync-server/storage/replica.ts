import { createHash } from 'node:crypto'
import { slicesOf } from '../../schema/helpers/lists.ts'
import type { Database, DocumentWrite } from './documents/database.ts'
import type { TallyingHome } from './documents/database-home.ts'
import type { Seq } from './documents/documents.ts'

/** Pieces of files may be among them, and each answer of a CouchDB has to come in time. */
const readAtOnce = 25
const changesAtOnce = 200

/** All ends of a document's branches, also those that are deleted. */
export interface ReplicaRow {
  id: string
  revs: string[]
}

/** What a database holds, counted from its own list of changes. */
export interface Measure {
  documents: number
  /** Ends of branches; a deleted document has some too. */
  revisions: number
  /** Of files. */
  bytes: number
  /** The same for the same documents, whatever their order. */
  digest: string
}

/** A whole database as another takes it over: each end of a branch with its revisions and bytes. */
export interface Replica {
  /** The rows that have changed since a place, which `next` follows; none at the end. */
  changes(since: Seq): Promise<{ rows: ReplicaRow[]; next: Seq }>
  /** Those that this database has not. */
  findMissing(rows: readonly ReplicaRow[]): Promise<ReplicaRow[]>
  read(rows: readonly ReplicaRow[]): AsyncIterable<readonly DocumentWrite[]>
  /** Stores them as they are; those that are here already change nothing. */
  take(documents: readonly DocumentWrite[]): Promise<void>
  /** Reads all of it. @param isWanted false leaves a document out */
  measure(isWanted: (id: string) => boolean): Promise<Measure>
  readTally(): Promise<number>
  writeTally(tally: number): Promise<void>
}

export function createReplica({ name, home }: { name: string; home: TallyingHome }): Replica {
  const use = <Result>(work: (database: Database) => Promise<Result>) => home.use(name, work)

  async function changes(since: Seq) {
    const { results, last_seq } = await use((database) =>
      database.changes({ since, limit: changesAtOnce, style: 'all_docs' }),
    )
    const rows = results.map((row) => ({ id: row.id, revs: row.changes.map(({ rev }) => rev) }))
    return { rows, next: last_seq }
  }

  async function* read(rows: readonly ReplicaRow[]) {
    for (const slice of slicesOf(rows, readAtOnce)) {
      const docs = slice.flatMap(({ id, revs }) => revs.map((rev) => ({ id, rev })))
      const { results } = await use((database) => database.bulkGet(docs))
      const found = results.flatMap((row) => row.docs.flatMap((one) => ('ok' in one ? one.ok : [])))
      if (found.length < docs.length) {
        const ids = slice.map(({ id }) => id).join(', ')
        throw new Error(`${name} does not give all of what it lists, among ${ids}`)
      }
      yield found
    }
  }

  return {
    changes,
    async findMissing(rows) {
      const wanted = Object.fromEntries(rows.map(({ id, revs }) => [id, revs]))
      const found = await use((database) => database.revsDiff(wanted))
      return Object.entries(found).flatMap(([id, { missing = [] }]) =>
        missing.length > 0 ? [{ id, revs: missing }] : [],
      )
    },
    read,
    async take(documents) {
      if (documents.length === 0) return
      const failures = await use((database) =>
        database.bulkDocs([...documents], { new_edits: false }),
      )
      if (failures.length > 0) {
        throw new Error(`${name} did not take a revision`, { cause: failures })
      }
    },
    async measure(isWanted) {
      const counted = { documents: 0, revisions: 0, bytes: 0, sum: 0n }
      const place: { since: Seq } = { since: 0 }
      for (;;) {
        const { rows, next } = await changes(place.since)
        const wanted = rows.filter(({ id }) => isWanted(id))
        counted.documents += wanted.length
        for await (const documents of read(wanted)) {
          for (const document of documents) {
            const { hash, bytes } = weigh(document)
            counted.revisions += 1
            counted.bytes += bytes
            counted.sum = BigInt.asUintN(256, counted.sum + BigInt(`0x${hash}`))
          }
        }
        if (rows.length === 0) break
        place.since = next
      }
      const { sum, ...counts } = counted
      return { ...counts, digest: sum.toString(16).padStart(64, '0') }
    },
    readTally: () => home.readTally(name),
    writeTally: (tally) => home.writeTally(name, tally),
  }
}

interface Attachment {
  data?: string
  content_type?: string
}

/** A hash of its id, revision, fields and bytes; where its branch began is not part of it. */
function weigh(document: DocumentWrite): { hash: string; bytes: number } {
  const {
    _attachments = {},
    _revisions: _,
    ...fields
  } = document as DocumentWrite & {
    _attachments?: Record<string, Attachment>
  }
  const attachments = Object.entries(_attachments).map(([attachment, { data = '', ...its }]) => {
    const content = new Uint8Array(Buffer.from(data, 'base64'))
    const hash = createHash('sha256').update(content).digest('hex')
    return { attachment, type: its.content_type, hash, bytes: content.length }
  })
  const text = JSON.stringify(sortKeys({ ...fields, attachments }))
  const bytes = attachments.reduce((sum, one) => sum + one.bytes, 0)
  return { hash: createHash('sha256').update(text).digest('hex'), bytes }
}

/** A database need not keep their order. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, field]) => [key, sortKeys(field)]))
}
