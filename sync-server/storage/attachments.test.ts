import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { describeAttachments } from './attachments.contract.ts'
import { describeCouches } from './couch/couches.contract.ts'
import { createStorage, type Storage } from './storage.ts'

const opened: Storage[] = []
const folders: string[] = []

async function openLevel() {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-attachments-'))
  folders.push(dataDir)
  return keep(createStorage({ dataDir, durability: 'relaxed' }))
}

function keep(storage: Storage) {
  opened.push(storage)
  return storage
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((storage) => storage.close()))
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })))
})

describeAttachments('LevelDB', openLevel)

describeCouches('attachments', (couch) => {
  describeAttachments('CouchDB', async () => {
    const storage = keep(createStorage({ dataDir: '', couchdbUrl: couch.url }))
    await storage.destroy('files')
    return storage
  })
})

test('bytes that are removed do not stay on the disk', async () => {
  const storage = await openLevel()
  const files = storage.attachments('files')
  const size = 1024 * 1024
  const rounds = 40
  const writeAndRemove = async (id: string) => {
    await files.write([{ id, bytes: randomBytes(size) }])
    await files.remove([id])
  }
  for (let round = 0; round < rounds; round += 1) await writeAndRemove(`part:${round}:0`)
  // LevelDB compacts in the background, as long as something is written: it may be behind.
  let more = rounds
  await expect
    .poll(async () => {
      await writeAndRemove(`part:${more++}:0`)
      return measureFolder(folders.at(-1) ?? '')
    })
    .toBeLessThan(rounds * size * 0.7)
})

async function measureFolder(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true })
  const sizes = await Promise.all(names.map((name) => measureFile(join(folder, name))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** LevelDB compacts in the background: a listed file may be gone when looked at. */
async function measureFile(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return { size: 0 }
    throw error
  })
  return found.size
}
