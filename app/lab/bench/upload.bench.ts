import { v7 as createId } from 'uuid'
import { createApi } from '../../api/api.ts'
import { createSessionStore } from '../../api/session-store.ts'
import { createKeyValueStorage } from '../../database/storage/key-value-storage.ts'
import { uploadInPieces } from '../../sync/files/upload-in-pieces.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import type { Figure } from './figures/figure.ts'
import { startBareServer } from './floors/start-bare-server.ts'

const megabytes = 25
const turns = 5

/**
 * A film of 25 MB, from the client library to the disk, compared with a route that writes to a
 * file.
 */
export async function measure(): Promise<Figure[]> {
  // Every piece differs: equal pieces would be stored once.
  const bytes = new Uint8Array(megabytes * 1024 * 1024)
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = (at ^ (at >> 8) ^ (at >> 16)) * 31
  const file = new Blob([bytes])
  const bare = await startBareServer()
  const server = await startBuiltServer({ env: { STORAGE_QUOTA_MB: '0' } })
  const { messages } = await signIn(server.origin)
  const never = new AbortController().signal

  const ways = {
    pieces: () =>
      uploadInPieces({
        calls: messages,
        file,
        filename: 'film.mp4',
        key: createId(),
        now: Date.now,
        signal: never,
        closing: never,
        onBegin: () => undefined,
        onProgress: () => undefined,
      }),
    whole: () => messages.upload({ file, filename: 'film.mp4' }),
    bare: async () => {
      const response = await fetch(`${bare.origin}/upload`, { method: 'POST', body: file })
      if ((await response.json()).size !== file.size) throw new Error('Not all has arrived.')
    },
  }
  const tookMs = { pieces: 0, whole: 0, bare: 0 }
  // Alternating, so that the machine's other load affects all; the first turn is a warm-up.
  for (let turn = 0; turn <= turns; turn++) {
    for (const way of ['bare', 'pieces', 'whole'] as const) {
      const begunAt = performance.now()
      await ways[way]()
      if (turn > 0) tookMs[way] += performance.now() - begunAt
    }
  }
  await Promise.all([bare.close(), server.close()])
  const speed = (way: keyof typeof tookMs) => (megabytes * turns * 1_000) / tookMs[way]
  const floors = [{ what: 'bare Express into a file', value: speed('bare') }]
  const what = `upload of ${megabytes} MB, on disk when acknowledged`
  return [
    { what: `${what}, in pieces`, value: speed('pieces'), unit: 'MB/s', floors },
    { what: `${what}, in one request`, value: speed('whole'), unit: 'MB/s', floors },
  ]
}

async function signIn(serverUrl: string) {
  const sessions = createSessionStore({
    kept: createKeyValueStorage(),
    passing: createKeyValueStorage(),
  })
  const api = createApi({ serverUrl, fetch, sessions })
  const ann = { username: 'ann', email: 'ann@example.org', password: 'ann-secret' }
  sessions.set(await api.auth.register(ann), { keepSignedIn: false })
  return api
}
