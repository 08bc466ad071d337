import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { StorageUnavailable } from '../documents/storage-errors.ts'
import { createStorage } from '../storage.ts'
import { createFaultyDisk } from '../testing/faulty-disk.ts'

interface Note {
  _id: string
  text: string
}

async function openFaultyStorage() {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-faulty-'))
  const disk = createFaultyDisk()
  const open = () =>
    createStorage({
      dataDir,
      durability: 'relaxed',
      wrapLevel: disk.wrapLevel,
      idleCloseMs: 60_000,
    })
  const state = { storage: open() }
  onTestFinished(async () => {
    await state.storage.close()
    await rm(dataDir, { recursive: true })
  })
  return {
    disk,
    notes: (name = 'notes') => state.storage.database<Note>(name),
    /** Both in one transaction, like the copies of a message. */
    writeBoth: (id: string) =>
      state.storage.transact({
        parts: ['left', 'right'].map((name) => ({ name, ids: [id] })),
        decide: () => ({
          writes: ['left', 'right'].map((name) => ({ name, put: [{ _id: id, text: id }] })),
          result: undefined,
        }),
      }),
    untilReady: () =>
      expect.poll(() => state.storage.ready().then(() => 'ready', String)).toBe('ready'),
    async restart() {
      await state.storage.close()
      state.storage = open()
    },
  }
}

describe.each(['nothing', 'torn', 'unseen'] as const)(
  'P12: a refused write that leaves %s',
  (leaves) => {
    test('costs nothing that is written before and after, whoever reads meanwhile', async () => {
      const { disk, notes, untilReady, restart } = await openFaultyStorage()
      const acknowledged = new Set<string>()
      const write = (id: string) =>
        notes()
          .insert({ _id: id, text: id })
          .then(
            () => void acknowledged.add(id),
            (error: unknown) => expect(error).toBeInstanceOf(StorageUnavailable),
          )
      for (let round = 0; round < 6; round += 1) {
        await write(`before${round}`)
        disk.fillUp({ after: 0, count: 1 + (round % 3), leaves })
        await Promise.all([write(`one${round}`), write(`other${round}`)])
        // Readers now see the earlier state, and nothing that may turn up later.
        await notes().range({})
        disk.makeRoom()
        await untilReady()
        await write(`after${round}`)
        await expectWhole(notes(), acknowledged)
      }
      expect(disk.countRefused()).toBeGreaterThan(5)
      await restart()
      await expectWhole(notes(), acknowledged)
    })

    test('leaves a tally of what is stored', async () => {
      const { disk, notes, untilReady, restart } = await openFaultyStorage()
      const write = (id: string) =>
        notes().update([id], () => ({ put: [{ _id: id, text: id }], tally: 1, result: undefined }))
      for (let round = 0; round < 4; round += 1) {
        await write(`before${round}`)
        disk.fillUp({ after: 0, count: 1, leaves })
        await Promise.allSettled([write(`one${round}`), notes().readTally()])
        disk.makeRoom()
        await untilReady()
        const stored = await notes().range({})
        expect(await notes().readTally()).toBe(stored.length)
      }
      await restart()
      expect(await notes().readTally()).toBe((await notes().range({})).length)
    })

    test('leaves nothing half of what is written together', async () => {
      const { disk, notes, writeBoth, untilReady, restart } = await openFaultyStorage()
      for (let round = 0; round < 4; round += 1) {
        disk.fillUp({ after: round % 2, count: 1, leaves })
        await Promise.allSettled([1, 2, 3].map((one) => writeBoth(`${round}-${one}`)))
        disk.makeRoom()
        await untilReady()
      }
      await restart()
      const [left, right] = [await notes('left').range({}), await notes('right').range({})]
      expect(left.map(({ _id }) => _id)).toEqual(right.map(({ _id }) => _id))
      await expectWhole(notes('left'), new Set())
      await expectWhole(notes('right'), new Set())
    })
  },
)

/** Everything acknowledged exists, and each document has its own words and sequence number. */
async function expectWhole(
  database: ReturnType<Awaited<ReturnType<typeof openFaultyStorage>>['notes']>,
  acknowledged: ReadonlySet<string>,
) {
  const stored = await database.range({})
  expect(stored.filter(({ _id, text }) => _id !== text)).toEqual([])
  const ids = stored.map(({ _id }) => _id)
  expect(ids).toEqual(expect.arrayContaining([...acknowledged]))
  const { results } = await database.changes({ includeDocs: true })
  expect(results.map(({ id }) => id).sort()).toEqual(ids)
  expect(results.filter(({ id, doc }) => doc?.text !== id)).toEqual([])
  expect((await database.info()).docCount).toBe(ids.length)
}
