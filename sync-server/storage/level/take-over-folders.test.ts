import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createStorage, type Storage } from '../create-storage.ts'
import type { Level } from './level-store.ts'
import { unpackFixture } from './unpack-fixture.ts'

async function openFixture() {
  const fixture = await unpackFixture()
  onTestFinished(() => rm(fixture.dataDir, { recursive: true }))
  return fixture
}

type Fixture = Awaited<ReturnType<typeof openFixture>>

async function expectAllTakenOver(storage: Storage, { seen }: Fixture) {
  for (const person of Object.values(seen)) {
    for (const kind of ['messages', 'conversations'] as const) {
      const database = storage.database(`${kind}-${person.id}`)
      const { results, last_seq } = await database.changes({ includeDocs: true, style: 'all_docs' })
      const before = person[kind].results
      // The fixture goes one message further than what was seen.
      const known = results.filter(({ id }) => before.some((row) => row.id === id))
      expect(known.filter(({ seq }) => Number(seq) <= person[kind].last_seq)).toEqual(
        before.filter(({ id }) =>
          known.some((row) => row.id === id && row.seq === seqOf(before, id)),
        ),
      )
      expect(known).toHaveLength(before.length)
      expect(Number(last_seq)).toBeGreaterThanOrEqual(person[kind].last_seq)
    }
  }
}

function seqOf(rows: readonly { id: string; seq: unknown }[], id: string) {
  return rows.find((row) => row.id === id)?.seq
}

test('every database of an earlier version is taken over as it is, and its folder is gone', async () => {
  const fixture = await openFixture()
  const told: { done: number; of: number }[] = []
  const storage = createStorage({
    dataDir: fixture.dataDir,
    onTakeOver: (progress) => told.push(progress),
  })
  onTestFinished(() => storage.close())
  await storage.ready()
  await expectAllTakenOver(storage, fixture)
  const mediaId = fixture.picture.split('/').at(-1)
  const media = await storage.database('media').range({})
  expect(media.some(({ _id }) => _id.includes(String(mediaId)))).toBe(true)
  expect(
    await storage.database(`messages-${fixture.people.ann.id}`).readLocal('checkpoint'),
  ).toEqual(expect.objectContaining({ since: 3 }))
  expect(told[0]).toEqual({ done: 0, of: 11 })
  expect(told.at(-1)).toEqual({ done: 11, of: 11 })
  expect((await readdir(fixture.dataDir)).sort()).toEqual(['jwt-secret', 'store'])
  expect((await stat(fixture.dataDir)).mode & 0o777).toBe(0o700)
})

test('a take-over that is killed at any write goes on where it stopped', async () => {
  const fixture = await openFixture()
  // Each start dies one write later than the one before, until one comes through.
  for (let writes = 1; ; writes += 1) {
    const storage = createStorage({ dataDir: fixture.dataDir, wrapLevel: dieAfter(writes) })
    const isThrough = await storage.ready().then(
      () => true,
      () => false,
    )
    if (isThrough) await expectAllTakenOver(storage, fixture)
    await storage.close()
    if (isThrough) {
      expect(writes).toBeGreaterThan(3)
      break
    }
  }
  expect((await readdir(fixture.dataDir)).sort()).toEqual(['jwt-secret', 'store'])
})

function dieAfter(writes: number) {
  let left = writes
  return (level: Level): Level => {
    const batch = level.batch.bind(level)
    const dying: typeof level.batch = ((...call: Parameters<typeof batch>) => {
      left -= 1
      return left < 0 ? Promise.reject(new Error('the process was killed')) : batch(...call)
    }) as typeof level.batch
    return Object.assign(level, { batch: dying })
  }
}

test('a folder that cannot be read stops the start, and is named', async () => {
  const fixture = await openFixture()
  const broken = join(fixture.dataDir, 'databases', 'orders')
  for (const name of await readdir(broken)) {
    if (name.startsWith('MANIFEST')) await rm(join(broken, name))
  }
  const storage = createStorage({ dataDir: fixture.dataDir })
  onTestFinished(() => storage.close())
  await expect(storage.ready()).rejects.toThrow(`The database in ${broken} could not be taken over`)
  expect(await readdir(broken)).not.toEqual([])
})
