import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { StorageUnavailable } from '../documents/storage-errors.ts'
import { createStorage, type Storage } from '../storage.ts'
import { createFaultyDisk } from '../testing/faulty-disk.ts'

interface Note {
  _id: string
  text: string
}

const ids = ['a', 'b', 'c', 'd']

async function openFilled() {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-reads-'))
  const disk = createFaultyDisk()
  const open = () => createStorage({ dataDir, durability: 'relaxed', wrapLevel: disk.wrapLevel })
  const state = { storage: open() }
  onTestFinished(async () => {
    await state.storage.close()
    await rm(dataDir, { recursive: true })
  })
  const { storage } = state
  const notes = storage.database<Note>('notes')
  for (const _id of ids) await notes.insert({ _id, text: _id })
  // A leaf beside the winning one, written later: PouchDB searches for the winner itself.
  const rev = (await notes.read(['a'])).get('a')?._rev
  const [, hash = ''] = rev?.split('-') ?? []
  const revisions = { start: 2, ids: ['f'.repeat(32), hash] }
  await notes.update(['a', 'b'], (stored) => ({
    put: [...stored.values()].map((note) => ({ ...note, text: `${note.text} again` })),
    pushed: [{ id: 'a', revisions }],
    result: undefined,
  }))
  await storage.attachments('files').write([{ id: 'piece', bytes: Buffer.from('bytes') }])
  /** A server that has just started remembers nothing that it has read or written. */
  async function restart(): Promise<Storage> {
    await state.storage.close()
    state.storage = open()
    await state.storage.ready()
    return state.storage
  }
  return { restart, disk }
}

type Use = (storage: Storage) => Promise<unknown>

/** Everything that a server does with a database, by name. */
const uses: Record<string, Use> = {
  'changes with documents': (storage) =>
    storage.database('notes').changes({ includeDocs: true, style: 'all_docs' }),
  'the newest changes': (storage) =>
    storage.database('notes').changes({ descending: true, limit: 2 }),
  'a range': (storage) => storage.database('notes').range({}),
  'documents by id': (storage) => storage.database('notes').read(ids),
  'an old revision': (storage) =>
    storage.database('notes').readOpenRevisions('a', { openRevs: 'all' }),
  'which revisions are missing': (storage) =>
    storage.database('notes').findMissingRevisions({ a: ['1-x'], b: ['2-y'] }),
  'a checkpoint': (storage) => storage.database('notes').readLocal('checkpoint'),
  'a piece of a file': (storage) => storage.attachments('files').read('piece'),
  'a change': (storage) =>
    storage.database<Note>('notes').update(['c'], (stored) => ({
      put: [...stored.values()].map((note) => ({ ...note, text: `${note.text}!` })),
      result: undefined,
    })),
  'a new piece': (storage) =>
    storage
      .attachments('files')
      .write([{ id: `piece${Math.random()}`, bytes: Buffer.from('more') }]),
}

test.each(Object.keys(uses))(
  'P12: whichever read of %s the disk refuses, the process lives, and nothing wrong is answered or stored',
  async (name) => {
    const { restart, disk } = await openFilled()
    const use = uses[name] as Use
    const isRead = !name.includes('piece') && name !== 'a change'
    const sound = isRead ? await use(await restart()) : undefined
    let refused = 0
    for (let after = 0; ; after += 1) {
      const storage = await restart()
      disk.failRead({ after })
      const answer = await use(storage).catch((error: unknown) => error)
      if (!disk.hasReadFailed()) break
      if (answer instanceof StorageUnavailable) refused += 1
      else if (sound !== undefined) expect(answer).toEqual(sound)
      await expect.poll(() => storage.ready().then(() => 'ready', String)).toBe('ready')
      if (sound !== undefined) expect(await use(storage)).toEqual(sound)
    }
    expect(refused).toBeGreaterThan(0)
    disk.failRead({ after: Number.POSITIVE_INFINITY })

    const notes = (await restart()).database<Note>('notes')
    const { results } = await notes.changes({ includeDocs: true })
    expect(results.map(({ id }) => id).sort()).toEqual(ids)
    expect(results.filter(({ id, doc }) => !doc?.text.startsWith(id))).toEqual([])
    expect((await notes.info()).docCount).toBe(ids.length)
    const [one] = (await notes.readOpenRevisions('b', { openRevs: 'all', revs: true })) ?? []
    expect(one).toMatchObject({ ok: { _revisions: { start: 2 } } })
  },
)
