import { type Database, type Failure, isMissing } from './documents/database.ts'
import type { DatabaseHome } from './documents/database-home.ts'

/**
 * Bytes in a database, each piece as the only attachment of its own document. Holds a whole piece
 * in memory, so large content is stored as many pieces.
 */
export interface StoredAttachments {
  /**
   * Stores pieces under new ids, none without those before it; atomically where the storage can.
   * @throws when an id is taken, or storage fails
   */
  write(pieces: readonly Piece[]): Promise<void>
  /** @returns undefined for a missing piece */
  read(id: string): Promise<Buffer | undefined>
  /** The existing ids in an inclusive range, in order. */
  list(range: { startkey: string; endkey: string }): Promise<string[]>
  /** Removes pieces; a missing one is no error. */
  remove(ids: readonly string[]): Promise<void>
}

export interface Piece {
  id: string
  bytes: Buffer
}

const attachmentName = 'bytes'
const attachmentType = 'application/octet-stream'

export function createStoredAttachments(options: {
  name: string
  home: DatabaseHome
  isAtomic: boolean
}): StoredAttachments {
  const { isAtomic } = options
  const use = <Result>(work: (database: Database) => Promise<Result>) =>
    options.home.use(options.name, work)

  return {
    async write(given) {
      if (isAtomic) return await use((database) => writeTogether(database, given))
      for (const { id, bytes } of given) {
        await use((database) => database.putAttachment(id, attachmentName, bytes, attachmentType))
      }
    },
    read: (id) =>
      use(async (database) => {
        try {
          return await database.getAttachment(id, attachmentName)
        } catch (error) {
          if (isMissing(error)) return undefined
          throw error
        }
      }),
    list: (range) =>
      use(async (database) => (await database.allDocs(range)).rows.map(({ id }) => id)),
    remove: (ids) =>
      use(async (database) => {
        const found = await database.readAll(new Set(ids))
        const removals = [...found].map(([_id, { _rev }]) => ({ _id, _rev, _deleted: true }))
        if (removals.length === 0) return
        const rows = await database.bulkDocs(removals)
        // Somebody else removed it meanwhile: nobody writes a piece twice.
        const failed = rows.find((row) => 'error' in row && !isConflictRow(row))
        if (failed) throw failed
      }),
  }
}

const isConflictRow = (row: Failure) => row.status === 409 || row.error === 'conflict'

/** One write for all. */
async function writeTogether(database: Database, pieces: readonly Piece[]): Promise<void> {
  const documents = pieces.map(({ id: _id, bytes: data }) => ({
    _id,
    _attachments: { [attachmentName]: { content_type: attachmentType, data } },
  }))
  const results = await database.bulkDocs(documents)
  const failed = results.find((one) => 'error' in one)
  if (failed) throw failed
}
