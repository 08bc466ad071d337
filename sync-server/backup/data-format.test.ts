import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createStorage, type Storage } from '../storage/storage.ts'
import { loadStore, type StoreDump } from '../storage/testing/dump-store.ts'
import { createFaultyDisk, type Death } from '../storage/testing/faulty-disk.ts'
import { startCouch } from '../testing/couch/start-couch.ts'
import { startTestApp } from '../testing/start-test-app.ts'
import { createBackups } from './backups.ts'
import { dataFormat, migrateData } from './data-format.ts'
import { rehearseUpgrade } from './doctor.ts'

interface Fixture {
  people: Record<'ann' | 'ben' | 'cem', string>
  store: StoreDump
}

/** What an earlier build stored, with a name of a restore and a hint of an even earlier one. */
async function readFixture(): Promise<Fixture> {
  const path = new URL('fixtures/server.json', import.meta.url)
  return JSON.parse(await readFile(path, 'utf8'))
}

async function makeFolder() {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-format-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  return dataDir
}

async function openFixture() {
  const [dataDir, { store, people }] = [await makeFolder(), await readFixture()]
  await loadStore(dataDir, store)
  const { ann, cem } = people
  return { dataDir, people, hintId: `receipts~${cem}~${ann}` }
}

async function migrate(storage: Storage) {
  const told: { from: number; to: number }[] = []
  await migrateData({ storage, onMigrated: (formats) => told.push(formats) })
  return told
}

async function readFormat(storage: Storage) {
  const stored = await storage.database<{ _id: string; format: number }>('formats').read(['data'])
  return stored.get('data')?.format
}

async function expectMigrated(storage: Storage, hintId: string) {
  expect(await readFormat(storage)).toBe(dataFormat)
  const installation = (await storage.database('epochs').read(['installation'])).get('installation')
  expect(installation).toMatchObject({ restores: ['2026-11-22'], epoch: expect.any(String) })
  expect(installation).not.toHaveProperty('restored')
  const hint = (await storage.database('debts').read([hintId])).get(hintId)
  expect(hint).toMatchObject({ kind: 'receipts', deliveredUpTo: 1795492437294, readUpTo: 0 })
  expect(hint).toMatchObject({ note: 'a note' })
  expect(hint).not.toHaveProperty('marks')
}

test('what an earlier build stored is signed in to, read and continued', async () => {
  const { dataDir, people } = await openFixture()
  const t = await startTestApp({ DATA_DIR: dataDir, RESTORED: '2026-11-22' })
  onTestFinished(() => t.close())
  const signIn = async (username: string) => {
    const body = { username, password: `${username}'s password` }
    const answer = await t.call('POST', '/api/auth/login', { body })
    expect(answer.status).toBe(200)
    return String(answer.body.token)
  }
  const readTexts = async (token: string) => {
    const { body } = await t.call('GET', '/sync/messages/_all_docs?include_docs=true', { token })
    return body.rows.map((row: { doc: { content: string } }) => row.doc.content)
  }
  const [ann, ben] = [await signIn('ann'), await signIn('ben')]
  const texts = ['hello Ben', 'hello Ann', 'and Cem?', 'while your phone was off']
  expect(await readTexts(ben)).toEqual(texts)
  const at = 1795492500000
  const message = {
    _id: '01a20bb1-0000-7000-8000-000000000001',
    peerId: people.ben,
    senderId: people.ann,
    recipientId: people.ben,
    content: 'and on it goes',
    createdAt: at,
    orderedAt: at,
    status: 'sending',
    attempt: 1,
  }
  const body = { docs: [message] }
  const { body: rows } = await t.call('POST', '/sync/messages/_bulk_docs', { token: ann, body })
  expect(rows).toEqual([expect.objectContaining({ ok: true })])
  expect(await readTexts(ben)).toEqual([...texts, 'and on it goes'])
})

test('a restore that an earlier build noted counts as noted', async () => {
  const { dataDir } = await openFixture()
  const readEpoch = async () => {
    const storage = createStorage({ dataDir })
    const found = (await storage.database('epochs').read(['installation'])).get('installation')
    await storage.close()
    return (found as { epoch?: string } | undefined)?.epoch
  }
  const before = await readEpoch()
  const t = await startTestApp({ DATA_DIR: dataDir, RESTORED: '2026-11-22' })
  await t.close()
  expect(await readEpoch()).toBe(before)
})

test('data of an earlier format are migrated once', async () => {
  const { dataDir, hintId } = await openFixture()
  const storage = createStorage({ dataDir })
  onTestFinished(() => storage.close())
  expect(await migrate(storage)).toEqual([{ from: 1, to: dataFormat }])
  await expectMigrated(storage, hintId)
  expect(await migrate(storage)).toEqual([])
})

test('a kill at any write of the migration leaves what the next start completes', async () => {
  const { store, people } = await readFixture()
  const hintId = `receipts~${people.cem}~${people.ann}`
  /** @returns whether it died */
  async function killAt(death: Pick<Death, 'after' | 'side'>) {
    const dataDir = await makeFolder()
    await loadStore(dataDir, store)
    const disk = createFaultyDisk()
    disk.dieAt(death)
    const first = createStorage({ dataDir, wrapLevel: disk.wrapLevel })
    await migrate(first).catch(() => undefined)
    const hasDied = disk.isDead()
    await first.close().catch(() => undefined)
    const next = createStorage({ dataDir })
    await migrate(next)
    await expectMigrated(next, hintId)
    await next.close()
    return hasDied
  }
  let kills = 0
  for (const side of ['before', 'after'] as const) {
    for (let after = 0; await killAt({ after, side }); after += 1) kills += 1
  }
  expect(kills).toBeGreaterThanOrEqual(6)
})

test('data of a newer format are refused in words, and left as they are', async () => {
  const storage = createStorage({ dataDir: await makeFolder() })
  onTestFinished(() => storage.close())
  const format = dataFormat + 1
  await storage.database('formats').insert({ _id: 'data', format } as { _id: string })
  await expect(migrate(storage)).rejects.toThrow(
    `These data were written by a newer Petrel (format ${format}; this one knows ${dataFormat}). Start that version, or restore a backup.`,
  )
  expect(await readFormat(storage)).toBe(format)
})

test('new data have the newest format, and are not migrated', async () => {
  const storage = createStorage({ dataDir: await makeFolder() })
  onTestFinished(() => storage.close())
  expect(await migrate(storage)).toEqual([])
  expect(await readFormat(storage)).toBe(dataFormat)
})

test('with a CouchDB the number is a document there, and two servers may migrate at once', async () => {
  const couch = await startCouch()
  onTestFinished(() => couch.close())
  const open = () => createStorage({ dataDir: '', couchdbUrl: couch.url })
  const storages = [open(), open()] as const
  onTestFinished(async () => void (await Promise.all(storages.map((each) => each.close()))))
  const [one, two] = storages
  const marks = { deliveredUpTo: 1795492437294, readUpTo: 0 }
  const hint = { _id: 'receipts~cem~ann', kind: 'receipts', marks, note: 'a note' }
  await one.database('debts').insert(hint)
  const installation = { _id: 'installation', epoch: 'an epoch', restored: '2026-11-22' }
  await one.database('epochs').insert(installation)
  await Promise.all([migrate(one), migrate(two)])
  await expectMigrated(two, hint._id)
})

test('an upgrade is rehearsed on a copy of a backup: nothing else is changed, and nothing is left of it', async () => {
  const { dataDir } = await openFixture()
  const storage = createStorage({ dataDir })
  const backups = createBackups({ dataDir, readAll: storage.readAll })
  const { path } = await backups.make(join(dataDir, 'backups'))
  await storage.close()
  const opened: string[] = []
  const rehearse = () =>
    rehearseUpgrade({
      path,
      dataDir,
      openStorage(folder) {
        opened.push(folder)
        return createStorage({ dataDir: folder })
      },
    })
  const { before, after } = await rehearse()
  expect([before.format, after.format]).toEqual([1, dataFormat])
  expect(after).toEqual({ ...before, format: dataFormat })
  expect(after.people).toBeGreaterThan(0)
  expect(opened).toEqual([join(dataDir, 'rehearsal')])
  expect(await readdir(dataDir)).not.toContain('rehearsal')
  const again = createStorage({ dataDir })
  expect(await readFormat(again)).toBeUndefined()
  await again.close()
  // One that was killed left its folder, and another that runs keeps its own.
  const left = createStorage({ dataDir: join(dataDir, 'rehearsal') })
  await left.ready()
  await expect(rehearse()).rejects.toThrow('Another rehearsal is under way.')
  await left.close()
  expect((await rehearse()).after).toEqual(after)
})
