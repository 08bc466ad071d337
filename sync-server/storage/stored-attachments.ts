import type { DatabaseHome } from './databases/database-home.ts'
import { isConflict, isMissing, type Pouch } from './documents/pouch.ts'

/**
 * Bytes in a database, each piece as the one attachment of a document of its own. A piece is held in memory as a
 * whole (PouchDB takes and gives Buffers), so what is large is stored as many pieces.
 */
export interface StoredAttachments {
  /**
   * Stores pieces under ids that no document has yet, none without those before it; where the storage can, all at once.
   * @throws when an id is taken, or nothing can be stored
   */
  write(pieces: readonly Piece[]): Promise<void>
  /** @returns undefined when there is no such piece */
  read(id: string): Promise<Buffer | undefined>
  /** The ids that are there between the two, both included, in their order. */
  list(range: { startkey: string; endkey: string }): Promise<string[]>
  /** Takes pieces away; one that is not there is no error. */
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
      // One by one: PouchDB keeps equal bytes once and counts who needs them, and on LevelDB two removals in one
      // write both find the other one still there, so the bytes would stay for ever.
      for (const id of ids) await use((pouch) => removeOne(pouch, id))
    },
  }
}

/** One write for all: PouchDB counts who needs equal bytes within one, too. */
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
    // Somebody else has removed it, before or meanwhile: nobody writes a piece twice.
    if (!isMissing(error) && !isConflict(error)) throw error
  }
}
