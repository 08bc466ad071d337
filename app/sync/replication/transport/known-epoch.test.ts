import { expect, test, vi } from 'vitest'
import { openTestDatabase } from '../../../database/testing/open-test-database.ts'
import { createLabDisk } from '../../../lab/kit/disk.ts'
import { createKnownEpoch } from './known-epoch.ts'

async function openEpochs() {
  const disk = createLabDisk()
  const { database } = await openTestDatabase({ indexedDB: disk.indexedDB })
  const table = database.device.epochs
  const onNew = vi.fn()
  const epoch = createKnownEpoch({ table, collection: 'messages', stored: undefined, onNew })
  return { disk, table, epoch, onNew }
}

test('P11: the first epoch counts once it is stored, so that a start knows what its checkpoints belong to', async () => {
  const { disk, table, epoch } = await openEpochs()
  disk.fillUp()
  await expect(epoch.take('one')).rejects.toThrow()
  expect(epoch.get()).toBeUndefined()
  disk.makeRoom()
  expect(await epoch.take('one')).toBe(true)
  expect(epoch.get()).toBe('one')
  expect(await table.get('messages')).toMatchObject({ epoch: 'one', isRenewed: false })
})

test('another epoch is reported once, and nothing is accepted after it', async () => {
  const { epoch, onNew } = await openEpochs()
  await epoch.take('one')
  expect(await epoch.take('two')).toBe(false)
  expect(await epoch.take('one')).toBe(false)
  expect(onNew.mock.calls).toEqual([['two']])
})
