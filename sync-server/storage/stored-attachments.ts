import type { DatabaseHome } from './documents/database-home.ts'
import { isConflict, isMissing, type Pouch } from './documents/pouch.ts'

/**
 * Bytes in a database, each piece as the only attachment of its own document. Holds a whole piece
 * in memory (PouchDB uses Buffers), so large content is stored as many pieces.
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
  const use = <Result>(work: (pouch: Pouch) => Promise<Result>) =>
    options.home.use(options.name, work)

  return {
    async write(given) {
      if (isAtomic) return await use((pouch) => writeTogether(pouch, given))
      for (const { id, bytes } of given) {
        await use((pouch) => pouch.putAttachment(id, attachmentName, bytes, attachmentType))
      }
    },
    read: (id) =>
      use(async (pouch) => {
        try {
          const bytes = await pouch.getAttachment(id, attachmentName)
          return bytes instanceof Blob ? Buffer.from(await bytes.arrayBuffer()) : bytes
        } catch (error) {
          if (isMissing(error)) return undefined
          throw error
        }
      }),
    list: (range) => use(async (pouch) => (await pouch.allDocs(range)).rows.map(({ id }) => id)),
    async remove(ids) {
      // One by one: PouchDB deduplicates bytes by reference count, and on LevelDB two removals in
      // one write each still see the other, which would leak the bytes forever.
      for (const id of ids) await use((pouch) => removeOne(pouch, id))
    },
  }
}

/** One write for all: PouchDB also counts references within one. */
async function writeTogether(pouch: Pouch, pieces: readonly Piece[]): Promise<void> {
  const documents = pieces.map(({ id: _id, bytes: data }) => ({
    _id,
    _attachments: { [attachmentName]: { content_type: attachmentType, data } },
  }))
  const results = await pouch.bulkDocs(documents)
  const failed = results.find((one) => 'error' in one)
  if (failed) throw failed
}

async function removeOne(pouch: Pouch, id: string): Promise<void> {
  try {
    const { _rev } = await pouch.get(id)
    await pouch.put({ _id: id, _rev, _deleted: true })
  } catch (error) {
    // Somebody else removed it before or meanwhile: nobody writes a piece twice.
    if (!isMissing(error) && !isConflict(error)) throw error
  }
}
