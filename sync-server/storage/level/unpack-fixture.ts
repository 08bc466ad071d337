import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Change, Document } from '../documents/documents.ts'

interface SeenPerson {
  id: string
  messages: { results: Change<Document>[]; last_seq: number }
  conversations: { results: Change<Document>[]; last_seq: number }
}

interface Fixture {
  /** The commit whose build wrote it. */
  madeBy: string
  people: Record<'ann' | 'ben' | 'cem', { id: string; token: string }>
  /** What each person's devices saw, before the last message. */
  seen: Record<'ann' | 'ben' | 'cem', SeenPerson>
  /** The message that a kill left with its reader's copy only. */
  half: string
  /** The address of a picture that Ann has sent to Ben. */
  picture: string
  files: Record<string, string>
}

/** For tests: a `DATA_DIR` as the last version wrote it that had a LevelDB for each database. */
export async function unpackFixture() {
  const path = new URL('fixtures/folder-for-each-database.json.gz', import.meta.url)
  const { files, ...fixture }: Fixture = JSON.parse(
    gunzipSync(new Uint8Array(await readFile(path))).toString(),
  )
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-old-'))
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(dataDir, name)), { recursive: true })
    await writeFile(join(dataDir, name), bytes, 'base64')
  }
  return { ...fixture, dataDir }
}
