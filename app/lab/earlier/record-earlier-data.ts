/**
 * Records what this build leaves on a device and on its server, as fixtures for later builds: run
 * `npx tsx app/lab/earlier/record-earlier-data.ts <commit>`, then `npm run format`, before what is
 * stored changes.
 */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { must } from '../../../schema/helpers/assertions.ts'
import { createStorage } from '../../../sync-server/storage/storage.ts'
import { dumpStore } from '../../../sync-server/storage/testing/dump-store.ts'
import { settleRequest } from '../../database/storage/dexie/owed-notes.ts'
import { dumpDatabases } from '../../database/testing/dump-databases.ts'
import { createLab } from '../create-lab.ts'

const [, , commit] = process.argv
const places = {
  device: new URL('../../database/testing/fixtures/device.json', import.meta.url),
  server: new URL('../../../sync-server/backup/fixtures/server.json', import.meta.url),
}

const lab = await createLab()
const ann = await lab.person('ann')
const ben = await lab.person('ben')
const cem = await lab.person('cem')
const phone = await ann.device()
const bens = await ben.device()
const cems = await cem.device()
const texts = ['hello Ben', 'hello Ann', 'and Cem?', 'hello Ann, from Cem']
for (const [at, [device, to]] of (
  [
    [phone, ben],
    [bens, ann],
    [phone, ben],
    [cems, ann],
  ] as const
).entries()) {
  await device.say(to, must(texts[at], 'a text'))
  await lab.settle()
}
await phone.messenger.commands.setPinned(ben.userId, true)
await phone.messenger.commands.markRead(ben.userId)
await lab.settle()

phone.network.goOffline()
const unsent = await phone.say(ben, 'written offline')
await phone.messenger.commands.setMuted(cem.userId, true)
await phone.messenger.commands.setArchived(cem.userId, true)
phone.messenger.drafts.begin(cem.userId)
phone.messenger.drafts.set(cem.userId, 'a draft for Cem')
await phone.close()
await leaveWithout(ben.userId, ['peerMarks', 'peerSilences'])
const device = await dumpDatabases(phone.disk.indexedDB)

// What the phone is to fetch.
await bens.say(ann, 'while your phone was off')
await lab.settle()
await bens.close()
await cems.close()
const copy = await mkdtemp(join(tmpdir(), 'petrel-earlier-'))
await lab.server.kill()
await cp(lab.server.dataDir, copy, { recursive: true })
await leaveAsEarlier(copy)
const server = await dumpStore(copy)
await rm(copy, { recursive: true })
await lab.close()

const people = { ann: ann.userId, ben: ben.userId, cem: cem.userId }
const made = { madeBy: commit, people, unsent }
await writeFile(places.device, toText({ ...made, databases: device }))
await writeFile(places.server, toText({ ...made, store: server }))
process.exit(0)

/** As builds from before these fields left it: in the document, and in what they had pulled. */
async function leaveWithout(peerId: string, fields: readonly string[]) {
  for (const { name = '' } of await phone.disk.indexedDB.databases()) {
    if (!name.startsWith('rxdb-dexie-')) continue
    const database = await settleRequest(phone.disk.indexedDB.open(name))
    const store = database.transaction('docs', 'readwrite').objectStore('docs')
    for (const record of await settleRequest<Record<string, unknown>[]>(store.getAll())) {
      const isIt = name.endsWith('--conversations') && record._id === peerId
      const document = isIt ? record : record.itemId === peerId ? record.docData : undefined
      if (!document) continue
      for (const field of fields) delete (document as Record<string, unknown>)[field]
      await settleRequest(store.put(record))
    }
    database.close()
  }
}

/** As builds from before the lists of restores, and from before hints with single marks, left it. */
async function leaveAsEarlier(dataDir: string) {
  const storage = createStorage({ dataDir })
  const epochs = storage.database<{ _id: string; restores?: string[]; restored?: string }>('epochs')
  await epochs.update(['installation'], (stored) => {
    const { restores: _, ...installation } = must(stored.get('installation'), 'the installation')
    return { put: [{ ...installation, restored: '2026-11-22' }], result: undefined }
  })
  const { readUpTo, deliveredUpTo } = await readMarks(storage)
  const [authorId, readerId] = [cem.userId, ann.userId]
  const marks = { deliveredUpTo, readUpTo }
  const _id = `receipts~${authorId}~${readerId}`
  const hint = { _id, kind: 'receipts', authorId, readerId, marks, note: 'a note' }
  await storage.database<typeof hint>('debts').insert(hint)
  await storage.close()
}

async function readMarks(storage: ReturnType<typeof createStorage>) {
  const name = `conversations-${ann.userId}`
  const database = storage.database<{ _id: string; readUpTo: number; deliveredUpTo: number }>(name)
  return must((await database.read([cem.userId])).get(cem.userId), 'the conversation with Cem')
}

/** @throws Error for what JSON would change */
function toText(fixture: object): string {
  const text = JSON.stringify(fixture, undefined, 2)
  if (JSON.stringify(JSON.parse(text)) !== JSON.stringify(fixture)) throw new Error('Not JSON.')
  return `${text}\n`
}
