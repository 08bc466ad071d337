import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
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

test('no write waits for patient ones that came before it, and none of them is lost', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-fair-'))
  const open = () => createStorage({ dataDir, durability: 'relaxed' })
  const state = { storage: open() }
  onTestFinished(async () => {
    await state.storage.close()
    await rm(dataDir, { recursive: true })
  })
  const written: string[] = []
  const write = async (name: string, _id: string, isPatient: boolean) => {
    await state.storage.transact({
      isPatient,
      parts: [{ name, ids: [_id] }],
      decide: () => ({ writes: [{ name, put: [{ _id }] }], result: undefined }),
    })
    written.push(_id)
  }
  const receipts = ['one', 'two', 'three'].map((_id) => write('ann', _id, true))
  await write('ann', 'message', false)
  expect(written).toEqual(['message'])
  // The server stops while they wait.
  await state.storage.close()
  await Promise.all(receipts)
  state.storage = open()
  const stored = await state.storage.database<Note>('ann').range({})
  expect(stored.map(({ _id }) => _id)).toEqual(['message', 'one', 'three', 'two'])
})

test('patient writes wait a moment for each other, and longer after a write of theirs', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-fair-'))
  const storage = createStorage({ dataDir, durability: 'sync' })
  const write = (_id: string, isPatient: boolean) =>
    storage.transact({
      isPatient,
      parts: [{ name: 'ann', ids: [_id] }],
      decide: () => ({ writes: [{ name: 'ann', put: [{ _id }] }], result: undefined }),
    })
  await write('opened', false)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(async () => {
    vi.useRealTimers()
    await storage.close()
    await rm(dataDir, { recursive: true })
  })
  const { syncedWrites } = storage.stats()
  const countQueued = () => storage.stats().queuedUpdates
  const countWrites = () => storage.stats().syncedWrites - syncedWrites

  const first = [write('one', true), write('two', true)]
  await expect.poll(countQueued).toBe(2)
  vi.advanceTimersByTime(20)
  await Promise.all(first)
  expect(countWrites()).toBe(1)

  const later = [write('three', true), write('four', true)]
  await expect.poll(countQueued).toBe(2)
  vi.advanceTimersByTime(99)
  await write('message', false)
  expect(countWrites()).toBe(2)
  vi.advanceTimersByTime(1)
  await Promise.all(later)
  expect(countWrites()).toBe(3)
})
