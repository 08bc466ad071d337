import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { StorageUnavailable } from '../documents/storage-errors.ts'
import { createFaultyDisk } from '../testing/faulty-disk.ts'
import { openLevelStore } from './level-store.ts'

const put = (key: string) => [{ type: 'put' as const, key, value: `value of ${key}` }]

test('P3: what was decided before the store was opened again is refused, and nothing of it is stored', async () => {
  const location = await mkdtemp(join(tmpdir(), 'petrel-store-'))
  const disk = createFaultyDisk()
  const store = await openLevelStore({ location, isSynced: false, wrap: disk.wrapLevel })
  onTestFinished(async () => {
    await store.close()
    await rm(location, { recursive: true })
  })
  const generation = store.generation()
  await store.write(put('before'), { generation })
  disk.fillUp({ after: 0, count: 1, leaves: 'nothing' })
  await expect(store.write(put('refused'), { generation })).rejects.toThrow(StorageUnavailable)
  disk.makeRoom()
  await expect.poll(() => store.ensureSound().then(() => 'sound', String)).toBe('sound')

  await expect(store.write(put('outdated'), { generation })).rejects.toThrow('opened again')
  await store.write(put('after'), { generation: store.generation() })
  const level = await store.read()
  expect(await level.keys().all()).toEqual(['after', 'before'])
})
