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
  /** The commit that wrote it. */
  madeBy: string
  people: Record<'ann' | 'ben' | 'cem', { id: string; token: string }>
  /** What each person's devices saw, before the last message. */
  seen: Record<'ann' | 'ben' | 'cem', SeenPerson>
  /** The message that a kill left with only its reader's copy. */
  half: string
  /** The address of a picture from Ann to Ben. */
  picture: string
  files: Record<string, string>
}

/** For tests: a `DATA_DIR` of the last version with one LevelDB for each database. */
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
