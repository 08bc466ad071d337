import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { createStorage } from '../storage.ts'
import { type Level, openLevelStore } from './level-store.ts'
import { createOpenDatabases } from './open-databases.ts'
import { documentCountKey, documentStore } from './pouch-keys.ts'

interface Note {
  _id: string
  count: number
}

async function makeFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'petrel-open-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

async function openDatabases() {
  const store = await openLevelStore({ location: await makeFolder(), isSynced: false })
  const databases = createOpenDatabases({ store, idleCloseMs: 60_000 })
  onTestFinished(async () => {
    await databases.close()
    await store.close()
  })
  return databases
}

test('PouchDB is open once the write is over that nobody locked it out of', async () => {
  const databases = await openDatabases()
  await databases.use('notes', async (notes) => {
    const held = createDeferred()
    const writing = notes.writeKeys(() => held.promise)
    const state = { isOpen: false }
    const opening = notes.pouch().then(() => {
      state.isOpen = true
    })
    // Time enough to open one.
    await databases.use('others', async (others) => await others.pouch())
    for (let round = 0; round < 20; round++) await notes.view.read(`${documentStore}a`)
    expect(state.isOpen).toBe(false)
    held.resolve()
    await Promise.all([writing, opening])
  })
})

test('keys that are written while PouchDB opens are counted, as it counts on', async () => {
  const dataDir = await makeFolder()
  const open = () => createStorage({ dataDir, durability: 'relaxed' })
  const state = { storage: open() }
  onTestFinished(() => state.storage.close())
  const names = Array.from({ length: 20 }, (_, index) => `notes-${index}`)
  const write = (name: string, _id: string, count: number) =>
    state.storage
      .database<Note>(name)
      .update([_id], () => ({ put: [{ _id, count }], result: undefined }))
  await Promise.all(
    names.map(async (name, index) => {
      const notes = state.storage.database<Note>(name)
      const opening = index % 2 === 0 ? notes.info() : undefined
      const writes = [1, 2, 3].map((count) => write(name, `note ${count % 2}`, count))
      await Promise.all([...writes, opening, notes.range({}), notes.changes({})])
      // A deletion is PouchDB's.
      await notes.update(['note 0'], () => ({
        put: [{ _id: 'note 0', count: 0, _deleted: true } as Note],
        result: undefined,
      }))
      await write(name, 'note 1', 4)
    }),
  )
  const seen = () =>
    Promise.all(
      names.map(async (name) => {
        const notes = state.storage.database<Note>(name)
        const { results } = await notes.changes({})
        return { ...(await notes.info()), changed: results.map(({ id }) => id) }
      }),
    )
  const before = await seen()
  expect(before.map(({ docCount }) => docCount)).toEqual(names.map(() => 1))
  // Writes that were decided together are one version.
  const places = before.map(({ updateSeq }) => Number(updateSeq))
  expect(Math.min(...places)).toBeGreaterThanOrEqual(4)
  for (const { changed } of before) expect(changed).toEqual(['note 0', 'note 1'])
  await state.storage.close()
  state.storage = open()
  expect(await seen()).toEqual(before)
})

test('PouchDB counts what was written after it had read its own count', async () => {
  const gates = holdFirst()
  const storage = createStorage({
    dataDir: await makeFolder(),
    durability: 'relaxed',
    wrapLevel: gates.wrap,
  })
  onTestFinished(() => storage.close())
  const notes = storage.database<Note>('notes')
  const writing = notes.insert({ _id: 'a', count: 1 })
  await gates.write.isReached
  const info = notes.info()
  await gates.countRead.isReached
  gates.write.release()
  await writing
  gates.countRead.release()
  expect(await info).toEqual({ docCount: 1, updateSeq: 1 })
})

type Batch = ReturnType<Level['batch']>

function createGate() {
  const [reached, released] = [createDeferred(), createDeferred()]
  return {
    isReached: reached.promise,
    release: () => released.resolve(),
    async pass() {
      reached.resolve()
      await released.promise
    },
  }
}

/** Stops the first write before it is stored, and PouchDB's first read of its count after it. */
function holdFirst() {
  const [write, countRead] = [createGate(), createGate()]
  const wrap = (level: Level): Level =>
    new Proxy(level, {
      get(target, name) {
        const member = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return (...given: unknown[]) => {
          const answer = Reflect.apply(member, target, given)
          if (name === 'batch') return holdWrite(answer as Batch)
          const isCount = name === 'get' && String(given[0]).endsWith(documentCountKey)
          return isCount ? holdRead(answer as Promise<unknown>) : answer
        }
      },
    })

  async function holdRead(answer: Promise<unknown>) {
    const value = await answer
    await countRead.pass()
    return value
  }

  function holdWrite(batch: Batch): Batch {
    const store = batch.write.bind(batch)
    return Object.assign(batch, {
      async write() {
        await write.pass()
        await store()
      },
    })
  }

  return { wrap, write, countRead }
}
