import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { createStorage, type Storage } from '../storage.ts'

let storage: Storage
let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'petrel-revisions-'))
  storage = createStorage({ dataDir, durability: 'relaxed' })
})
afterAll(async () => {
  await storage.close()
  await rm(dataDir, { recursive: true })
})

test('P5: the latest of a document that grows while it is read is there at every reading', async () => {
  const notes = storage.database<{ _id: string; text: string }>('notes')
  const put = (text: string) =>
    notes.update(['n'], () => ({ put: [{ _id: 'n', text }], result: 0 }))
  const revOf = ({ revs }: Awaited<ReturnType<typeof put>>) => must(revs.get('n'), 'a revision')
  let rev = revOf(await put('0'))
  for (let edit = 1; edit <= 40; edit += 1) {
    const [newest, open, [bulk], written] = await Promise.all([
      notes.readRevision('n', { rev, latest: true }),
      notes.readOpenRevisions('n', { openRevs: 'all' }),
      notes.bulkGet({ docs: [{ id: 'n', rev }], latest: true }),
      put(String(edit)),
    ])
    expect(newest).toBeDefined()
    expect(open).toMatchObject([{ ok: { _id: 'n' } }])
    expect(bulk?.docs).toMatchObject([{ ok: { _id: 'n' } }])
    // The tree keeps the latest revisions only.
    if (edit % 10 === 0) rev = revOf(written)
  }
})
