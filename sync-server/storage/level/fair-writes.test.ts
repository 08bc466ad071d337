import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createStorage } from '../storage.ts'

interface Note {
  _id: string
}

test('P12: a write passes the many that another person has brought before', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-fair-'))
  const storage = createStorage({ dataDir, durability: 'relaxed' })
  onTestFinished(async () => {
    await storage.close()
    await rm(dataDir, { recursive: true })
  })
  const written: string[] = []
  const write = async (name: string, label: string, count: number) => {
    const put = Array.from({ length: count }, (_, index) => ({ _id: `${label}-${index}` }))
    const ids = put.map(({ _id }) => _id)
    await storage.database<Note>(name).update(ids, () => ({ put, result: undefined }))
    written.push(label)
  }
  const first = write('ann', 'first', 1)
  const rounds = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const many = rounds.map((label) => write('ann', label, 100))
  const other = write('ben', 'ben', 1)
  await Promise.all([first, ...many, other])
  // All of Ann's writes would be one group, which Ben's would wait for.
  expect(written.indexOf('ben')).toBeLessThanOrEqual(4)
  expect(written.filter((label) => label !== 'ben')).toEqual(['first', ...rounds])
})
