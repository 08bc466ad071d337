import { once } from 'node:events'
import {
  appendFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, it, onTestFinished } from 'vitest'
import { askServer } from '../admin/admin-door.ts'
import { dumpStore } from '../storage/testing/dump-store.ts'
import { openSmallDisk } from '../storage/testing/open-small-disk.ts'
import { endProcess, nameDataDir, startServerProcess } from '../testing/open-test-process.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'
import { backupFormat, writeBackup } from './backup-file.ts'
import { type BackupMade, createBackups } from './backups.ts'
import { dataFormat } from './data-format.ts'
import { checkBackup, restoreBackup } from './restore.ts'

const requireStopped = async () => undefined

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'petrel-backup-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function startApp(env: Record<string, string> = {}) {
  const app = await startTestApp(env)
  onTestFinished(() => app.close())
  return app
}

const backUp = (app: TestApp, folder: string, recipient?: string) =>
  askServer(app.settings.dataDir, {
    action: 'backup',
    input: { folder, recipient },
  }) as unknown as Promise<BackupMade>

const send = async (app: TestApp, from: TestPerson, to: TestPerson, content: string) => {
  const body = { _id: uuidv7(), recipientId: to.userId, content }
  const answer = await app.call('POST', '/api/messages', { token: from.token, body })
  return { ...body, isAcknowledged: answer.status === 201 }
}

async function readMessages(app: TestApp, { token }: TestPerson) {
  const path = '/sync/messages/_all_docs?include_docs=true'
  const { body } = await app.call('GET', path, { token })
  const docs = body.rows.map(({ doc }: { doc: { _id: string } }) => doc)
  return new Map<string, { _id: string; content: string; orderedAt: number }>(
    docs.map((doc: { _id: string }) => [doc._id, doc]),
  )
}

describe('a backup', () => {
  it('under heavy writing is the store at one moment: restored, each document is as it was, whole in both copies', async () => {
    const app = await startApp()
    const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
    const form = new FormData()
    form.set('file', new Blob(['words '.repeat(200_000)], { type: 'text/plain' }), 'words.txt')
    const headers = { authorization: `Bearer ${ann.token}` }
    const upload = { method: 'POST', headers, body: form }
    const sent = await (await fetch(`${app.url}/api/messages/upload`, upload)).json()
    const state = { isOver: false, acknowledged: new Set<string>() }
    const work = async (index: number) => {
      while (!state.isOver) {
        const [from, to] = index % 2 ? [ann, ben] : [ben, ann]
        const { _id, isAcknowledged } = await send(app, from, to, `hello ${index}`)
        if (isAcknowledged) state.acknowledged.add(_id)
      }
    }
    const working = Array.from({ length: 8 }, (_, index) => work(index))
    await expect.poll(() => state.acknowledged.size).toBeGreaterThan(40)
    const before = new Set(state.acknowledged)
    const made = await backUp(app, await makeFolder())
    const after = new Set(state.acknowledged)
    await expect.poll(() => state.acknowledged.size).toBeGreaterThan(after.size + 20)
    state.isOver = true
    await Promise.all(working)

    const [annsLive, bensLive] = [await readMessages(app, ann), await readMessages(app, ben)]
    await app.restore('', (dataDir) =>
      restoreBackup({ path: made.path, dataDir, requireStopped }).then(() => undefined),
    )
    const [anns, bens] = [await readMessages(app, ann), await readMessages(app, ben)]
    expect([...anns.keys()]).toEqual(expect.arrayContaining([...before]))
    expect(anns.size).toBeLessThan(annsLive.size)
    expect([...bens.keys()].sort()).toEqual([...anns.keys()].sort())
    const shown = ({
      _id,
      content,
      orderedAt,
    }: {
      _id: string
      content: string
      orderedAt: number
    }) => [_id, content, orderedAt]
    for (const [copies, live] of [
      [anns, annsLive],
      [bens, bensLive],
    ] as const) {
      for (const [id, message] of copies) {
        const same = live.get(id)
        expect(same && shown(same)).toEqual(shown(message))
      }
    }
    const file = await fetch(`${app.url}${sent.mediaUrl}`, { headers })
    expect(await file.text()).toBe('words '.repeat(200_000))
  })

  it('of a server that rests, restored into an empty folder, is every key with its value', async () => {
    const app = await startApp()
    const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
    for (let index = 0; index < 30; index += 1) await send(app, ann, ben, `hello ${index}`)
    // A stop waits for what is written after an answer.
    await app.restart()
    const { path } = await backUp(app, await makeFolder())
    const dataDir = await makeFolder()
    const restored = await restoreBackup({ path, dataDir, requireStopped })
    expect(restored.before).toBeUndefined()
    const copy = await dumpStore(dataDir)
    const live: [string, string][] = []
    await app.restore('', async (stopped) => {
      for (const [key, value] of await dumpStore(stopped)) live.push([key, value])
    })
    expect(copy).toHaveLength(restored.footer.entries)
    // The server has recorded the backup there, once it was made.
    const isOther = ([key]: readonly [string, string]) => !key.startsWith('administration!')
    expect(copy.filter(isOther).length).toBeGreaterThan(60)
    expect(copy.filter(isOther)).toEqual(live.filter(isOther))
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const secret = await readFile(join(dataDir, 'jwt-secret'), 'utf8')
    expect(secret).toBe(await readFile(join(app.settings.dataDir, 'jwt-secret'), 'utf8'))
  })

  it('makes devices begin again after its restore, once, as with RESTORED', async () => {
    const app = await startApp()
    const ann = await app.register('Ann')
    const readEpoch = async () => {
      const { headers } = await app.call('GET', '/sync/messages/', { token: ann.token })
      return headers.get('x-petrel-epoch')
    }
    const first = await readEpoch()
    const { path } = await backUp(app, await makeFolder())
    await app.restore('', (dataDir) =>
      restoreBackup({ path, dataDir, requireStopped }).then(() => undefined),
    )
    const second = await readEpoch()
    expect(second).not.toBe(first)
    await app.restart()
    expect(await readEpoch()).toBe(second)
  })

  it('is made one at a time, and the last one is told by health', async () => {
    const app = await startApp()
    const folder = await makeFolder()
    const both = await Promise.allSettled([backUp(app, folder), backUp(app, folder)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const health = await askServer(app.settings.dataDir, { action: 'health', input: {} })
    expect(health.lastBackup).not.toBeNull()
    expect(await readdir(folder)).toHaveLength(1)
  })

  it('for an age key is read with that key alone', async () => {
    const app = await startApp()
    await app.register('Ann')
    const [own, other] = [await generateX25519Identity(), await generateX25519Identity()]
    const { path } = await backUp(app, await makeFolder(), await identityToRecipient(own))
    expect(path).toMatch(/\.backup\.age$/)
    expect((await readFile(path)).includes('petrel')).toBe(false)
    await expect(checkBackup(path)).rejects.toThrow('This backup is encrypted.')
    await expect(checkBackup(path, { identity: other })).rejects.toThrow('does not open the backup')
    const { footer } = await checkBackup(path, { identity: `# a comment\n${own}\n` })
    expect(footer.entries).toBeGreaterThan(0)
    await expect(backUp(app, await makeFolder(), 'age1wrong')).rejects.toThrow(
      'is no age recipient',
    )
  })

  it('that goes where no folder can be is refused with words', async () => {
    const app = await startApp()
    const folder = await makeFolder()
    await writeFile(join(folder, 'file'), '')
    await expect(backUp(app, join(folder, 'file'))).rejects.toThrow('is no folder')
    await expect(backUp(app, 'relative')).rejects.toThrow()
  })
})

/** Kills the process at its third write into a backup: a kill from outside may come after the last one. */
const dyingInBackup = `
  import { promises } from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const { open } = promises
  promises.open = async (path, ...how) => {
    const file = await open(path, ...how)
    if (!String(path).endsWith('.partial')) return file
    const write = file.write.bind(file)
    let writes = 0
    file.write = (...given) => {
      writes += 1
      if (writes === 3) process.kill(process.pid, 'SIGKILL')
      return write(...given)
    }
    return file
  }
  syncBuiltinESMExports()
`

it('a killed backup leaves the earlier ones whole, and its remains go with the next', async () => {
  const dataDir = await nameDataDir()
  const folder = await makeFolder()
  const first = await startServerProcess({ dataDir })
  const answer = await fetch(`${first.url}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'Ann', email: 'ann@example.org', password: 'a secret' }),
  })
  const { token } = await answer.json()
  const form = new FormData()
  const bytes = crypto.getRandomValues(new Uint8Array(60_000))
  form.set('file', new Blob(Array(250).fill(bytes)), 'a.bin')
  const headers = { authorization: `Bearer ${token}` }
  const upload = { method: 'POST', headers, body: form }
  expect((await fetch(`${first.url}/api/messages/upload`, upload)).status).toBe(201)
  const input = { folder }
  const whole = (await askServer(dataDir, { action: 'backup', input })) as unknown as BackupMade
  expect(await endProcess(first.child, 'SIGTERM')).toBe(0)

  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(dyingInBackup)}`
  const killed = await startServerProcess({ dataDir, env: { NODE_OPTIONS } })
  const ended = once(killed.child, 'exit')
  await expect(askServer(dataDir, { action: 'backup', input })).rejects.toThrow()
  expect(await ended).toEqual([null, 'SIGKILL'])
  const left = await readdir(folder)
  expect(left.filter((name) => name.endsWith('.partial'))).toHaveLength(1)
  expect((await checkBackup(whole.path)).footer.entries).toBe(whole.entries)
  const next = await startServerProcess({ dataDir })
  await askServer(dataDir, { action: 'backup', input })
  expect((await readdir(folder)).filter((name) => name.endsWith('.partial'))).toEqual([])
  expect(await endProcess(next.child, 'SIGTERM')).toBe(0)
})

describe('on a full disk', () => {
  it('a backup leaves nothing, and says so; the server goes on', async () => {
    const app = await startApp()
    const ann = await app.register('Ann')
    const form = new FormData()
    form.set('file', new Blob([crypto.getRandomValues(new Uint8Array(60_000))]), 'a.bin')
    const headers = { authorization: `Bearer ${ann.token}` }
    for (let index = 0; index < 20; index += 1) {
      const copy = new FormData()
      copy.set('file', new Blob([crypto.getRandomValues(new Uint8Array(60_000))]), `${index}.bin`)
      await fetch(`${app.url}/api/messages/upload`, { method: 'POST', headers, body: copy })
    }
    const disk = await openSmallDisk({ sizeMiB: 1 })
    onTestFinished(() => disk.close())
    await expect(backUp(app, disk.folder)).rejects.toThrow(`The disk of ${disk.folder} is full.`)
    expect(await readdir(disk.folder)).toEqual([])
    expect((await app.call('GET', '/readyz')).status).toBe(200)
  })

  it('a restore changes nothing, and says so', async () => {
    const app = await startApp()
    const ann = await app.register('Ann')
    const headers = { authorization: `Bearer ${ann.token}` }
    for (let index = 0; index < 60; index += 1) {
      const copy = new FormData()
      copy.set('file', new Blob([crypto.getRandomValues(new Uint8Array(60_000))]), `${index}.bin`)
      await fetch(`${app.url}/api/messages/upload`, { method: 'POST', headers, body: copy })
    }
    const { path } = await backUp(app, await makeFolder())
    const disk = await openSmallDisk({ sizeMiB: 2 })
    onTestFinished(() => disk.close())
    await mkdir(join(disk.folder, 'store'))
    await expect(restoreBackup({ path, dataDir: disk.folder, requireStopped })).rejects.toThrow(
      `The disk of ${disk.folder} is full`,
    )
    expect(await readdir(disk.folder)).toEqual(['store'])
  })
})

describe('what cannot be restored changes nothing', () => {
  async function makeBackup() {
    const app = await startApp()
    await app.register('Ann')
    const { path } = await backUp(app, await makeFolder())
    const dataDir = await makeFolder()
    await mkdir(join(dataDir, 'store'))
    await writeFile(join(dataDir, 'store/old'), 'from before')
    const restore = () => restoreBackup({ path, dataDir, requireStopped })
    const expectUntouched = async () => {
      expect(await readdir(dataDir)).toEqual(['store'])
      expect(await readFile(join(dataDir, 'store/old'), 'utf8')).toBe('from before')
    }
    return { path, dataDir, restore, expectUntouched }
  }

  it('one byte that changed', async () => {
    const { path, restore, expectUntouched } = await makeBackup()
    const file = await open(path, 'r+')
    const { size } = await file.stat()
    const byte = new Uint8Array(1)
    await file.read(byte, 0, 1, Math.floor(size / 2))
    await file.write(new Uint8Array([(byte[0] ?? 0) ^ 1]), 0, 1, Math.floor(size / 2))
    await file.close()
    await expect(restore()).rejects.toThrow(/damaged in block 1.*Nothing was changed/)
    await expectUntouched()
  })

  it.each([0.1, 0.5, 0.99])('a file that ends early, at %d of it', async (share) => {
    const { path, restore, expectUntouched } = await makeBackup()
    const bytes = await readFile(path)
    await writeFile(path, new Uint8Array(bytes.subarray(0, Math.floor(bytes.length * share))))
    await expect(restore()).rejects.toThrow(/not whole|damaged|no backup/)
    await expectUntouched()
  })

  it('what was made by a newer version', async () => {
    const { restore, path, expectUntouched } = await makeBackup()
    await rm(path)
    const header = {
      ...{ petrel: 'backup' as const, format: backupFormat, version: '9.0.0', id: 'a' },
      ...{ createdAt: new Date().toISOString(), files: {}, dataFormat: dataFormat + 1 },
    }
    for await (const piece of writeBackup(header, (async function* () {})())) {
      await appendFile(path, piece)
    }
    await expect(restore()).rejects.toThrow(/newer Petrel \(9\.0\.0.*Restore it with that version/)
    await expectUntouched()
  })

  it('a file that is none, a folder, and nothing at all', async () => {
    const { restore, path, expectUntouched, dataDir } = await makeBackup()
    await writeFile(path, 'hello')
    await expect(restore()).rejects.toThrow('This file is no backup of Petrel.')
    await expect(restoreBackup({ path: tmpdir(), dataDir, requireStopped })).rejects.toThrow(
      'is a folder',
    )
    await rm(path)
    await expect(restore()).rejects.toThrow('There is no file')
    await expectUntouched()
  })
})

it('backups by themselves are made when it is time, and only so many stay', async () => {
  const folder = await makeFolder()
  const clock = { now: Date.parse('2026-11-28T00:00:00Z'), last: undefined as number | undefined }
  await writeFile(join(folder, 'notes.txt'), 'not ours')
  const backups = createBackups({
    dataDir: folder,
    readAll: async function* () {
      yield [[new Uint8Array([1]), new Uint8Array([2])]] as const
    },
    schedule: { dir: folder, everyMs: 3_600_000, keep: 2, recipient: undefined },
    readLast: async () => clock.last,
    onMade: async () => {
      clock.last = clock.now
    },
    now: () => clock.now,
  })
  for (let minute = 0; minute <= 240; minute += 30) {
    clock.now = Date.parse('2026-11-28T00:00:00Z') + minute * 60_000
    await backups.look()
  }
  await backups.close()
  expect((await readdir(folder)).sort()).toEqual([
    'notes.txt',
    'petrel-2026-11-28T03-00-00-000Z.backup',
    'petrel-2026-11-28T04-00-00-000Z.backup',
  ])
})
