import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMedia } from '../media/media.ts'
import { type MediaDocument, nameMediaUrl } from '../media/media-documents.ts'
import { createStorage, type Storage } from '../storage/storage.ts'
import { testBytes } from './test-files.ts'

export type TestMedia = Awaited<ReturnType<typeof openTestMedia>>

/** For tests: files on real LevelDB in a folder that `close` removes, with a manual clock. */
export async function openTestMedia(options: { isShared?: boolean } = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-media-'))
  const storage = createStorage({ dataDir, durability: 'relaxed' })
  const records = new Map<string, string>()
  const hidden = new Set<string>()
  const errors: unknown[] = []
  const state = { now: Date.UTC(2030, 0, 1) }
  const open = (on: Storage = storage) =>
    createMedia({
      storage: on,
      isShared: options.isShared ?? false,
      now: () => state.now,
      privacy: { showsPicture: async (_viewer, ownerId) => !hidden.has(ownerId) },
      readPicture: async (userId) => records.get(userId),
      onError: (error) => errors.push(error),
    })
  const running = { media: open() }

  return {
    storage,
    /** The picture named in each person's account. */
    records,
    /** People hidden from everybody. */
    hidden,
    errors,
    get media() {
      return running.media
    },
    passTime(ms: number) {
      state.now += ms
    },
    /** Continues as a restarted server: knows only what is stored. */
    restart() {
      running.media = open()
      return running.media
    },
    /** Another server on this storage, or on what wraps it. */
    openOther: open,
    /** Stores a file. @returns its id and its address */
    async store(
      ownerId: string,
      purpose: 'message' | 'picture' = 'message',
      bytes = testBytes.png(),
    ) {
      const arriving = { ownerId, purpose, filename: 'a.png', limitBytes: bytes.length }
      const file = await running.media.store({ ...arriving, bytes: inChunks(bytes) })
      if (!file) throw new Error('nothing was stored')
      return { mediaId: file.mediaId, mediaUrl: nameMediaUrl(file.mediaId) }
    },
    /** The kinds of stored documents, by the beginnings of their ids, with repeats. */
    async listKinds() {
      const documents = await storage.database<MediaDocument>('media').range({})
      return documents.map(({ _id }) => _id.slice(0, _id.indexOf(':')))
    },
    async close() {
      await running.media.close()
      await storage.close()
      await rm(dataDir, { recursive: true })
    },
  }
}

async function* inChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 60_000) yield bytes.subarray(at, at + 60_000)
}
