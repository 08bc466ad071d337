import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, onTestFinished, test, vi } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { messageDocument } from '../../../schema/message.ts'
import { openDeviceStore } from '../../database/storage/open-device-store.ts'
import { deriveAccountKeys, publishKeys } from '../../encryption/account-keys.ts'
import { createConversationKeys } from '../../encryption/conversation-keys.ts'
import { createGroupKeys } from '../../encryption/group-keys.ts'
import { deriveEpoch, sealMessage } from '../../encryption/sealed-message.ts'
import { openWorkerSealing } from './worker-sealing.ts'

const [ann, ben] = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b']
const reply = { id: '01900000-0000-7000-8000-000000000001', peerId: ben, text: 'on my way' }
const keysOf = (byte: number) =>
  deriveAccountKeys({ seed: new Uint8Array(32).fill(byte), number: 1 })
const [annsKeys, bensKeys] = [keysOf(1), keysOf(2)]
const bens = publishKeys(bensKeys, ben)

/** Ann's browser, whose app has left these keys, and a server that answers this. */
async function openBrowser(
  kept: { own?: boolean; annPublished?: boolean; bens?: boolean },
  answer: unknown = 'Welcome. Please sign in.',
) {
  const indexedDB = new IDBFactory()
  vi.stubGlobal('indexedDB', indexedDB)
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    response.end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    vi.unstubAllGlobals()
    server.close()
  })
  const store = await openDeviceStore({ name: `petrel-${ann}`, indexedDB, IDBKeyRange })
  if (kept.own) await store.keyring.put({ _id: 1, keys: annsKeys })
  if (kept.bens) await store.peerKeys.put({ _id: ben, keys: [bens] })
  if (kept.annPublished) {
    await store.peerKeys.put({ _id: ann, keys: [publishKeys(annsKeys, ann)] })
  }
  store.close()
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { indexedDB, asked, to: { origin, token: 'a token' } }
}

const written = () =>
  messageDocument.parse({
    _id: reply.id,
    peerId: ben,
    senderId: ann,
    recipientId: ben,
    content: reply.text,
    createdAt: 5,
    orderedAt: 6,
  })
const epoch = deriveEpoch(annsKeys, bensKeys.agreement.publicKey)
const byTheApp = sealMessage(written(), {
  before: undefined,
  userId: ann,
  epoch,
  findEpoch: () => epoch,
})

test('P2 P13: a reply from a notification leaves as the app seals it', async () => {
  const { to, asked } = await openBrowser({ own: true, bens: true })
  const sealing = await openWorkerSealing(ann)
  expect(await sealing.sealReply(reply, to)).toEqual({ kind: 'sealed', sealed: byTheApp.sealed })
  expect(asked).toEqual([])
})

test('P13: the keys of somebody unknown are asked for before a word leaves', async () => {
  const person = { _id: ben, keys: bens }
  const first = await openBrowser({ own: true }, person)
  expect(await (await openWorkerSealing(ann)).sealReply(reply, first.to)).toMatchObject({
    kind: 'sealed',
  })
  expect(first.asked).toEqual([`/api/users/${ben}`])
  const plain = await openBrowser({ own: true }, { _id: ben })
  expect(await (await openWorkerSealing(ann)).sealReply(reply, plain.to)).toEqual({ kind: 'plain' })
  const portal = await openBrowser({ own: true })
  expect(await (await openWorkerSealing(ann)).sealReply(reply, portal.to)).toEqual({
    kind: 'later',
  })
})

test('P13: what this device cannot seal waits for the app, and who has no keys writes as ever', async () => {
  const locked = await openBrowser({ annPublished: true, bens: true })
  expect(await (await openWorkerSealing(ann)).sealReply(reply, locked.to)).toEqual({ kind: 'app' })
  const none = await openBrowser({})
  expect(await (await openWorkerSealing(ann)).sealReply(reply, none.to)).toEqual({ kind: 'plain' })
  expect(none.asked).toEqual([])
})

test('a pushed message opens with the keys of the app, or of the record that came with it', async () => {
  const arrived = { ...byTheApp, content: '', senderId: ben, recipientId: ann, peerId: ben }
  const fromBen = sealMessage(
    { ...arrived, content: 'dinner is ready', sealed: undefined },
    { before: undefined, userId: ben, epoch, findEpoch: () => epoch },
  )
  const pushed = [{ ...fromBen, content: '' }]
  await openBrowser({ own: true })
  expect((await openWorkerSealing(ann)).open(pushed, [])).toMatchObject([{ locked: 'key' }])
  expect((await openWorkerSealing(ann)).open(pushed, [{ _id: ben, keys: bens }])).toMatchObject([
    { content: 'dinner is ready' },
  ])
})

test('P13: a pushed message of a group opens with its secret, and an answer to it waits for the app', async () => {
  const groupId = '01900000-0000-7000-8000-0000000000aa'
  const pairs = createConversationKeys({
    listOwn: () => [bensKeys],
    listPeer: (peerId) => (peerId === ann ? [publishKeys(annsKeys, ann)] : []),
  })
  const bensGroups = createGroupKeys({
    ...{ userId: ben, pairs },
    listOwn: () => [bensKeys],
    listMembers: () => [ann, ben],
    readsFrom: () => 0,
  })
  const secret = must(bensGroups.make(groupId), 'a secret')
  const made = { _id: reply.id, orderedAt: 1 }
  bensGroups.take([{ ...made, peerId: groupId, senderId: ben, epoch: secret }])
  const inGroup = { ...written(), peerId: groupId, recipientId: groupId, senderId: ben }
  const { sealed } = sealMessage(
    { ...inGroup, content: 'dinner is ready' },
    {
      ...{ before: undefined, userId: ben, findEpoch: bensGroups.find },
      epoch: must(bensGroups.findCurrent(groupId), 'the secret'),
    },
  )
  const pushed = [{ ...inGroup, content: '', sealed }]
  const { to, indexedDB } = await openBrowser({ own: true, bens: true })
  expect((await openWorkerSealing(ann)).open(pushed, [])).toMatchObject([{ locked: 'key' }])
  const store = await openDeviceStore({ name: `petrel-${ann}`, indexedDB, IDBKeyRange })
  const box = must(secret.boxes[ann], 'a box')
  const { v, name } = secret
  await store.groupBoxes.put({ ...made, groupId, makerId: ben, v, name, box })
  store.close()
  const sealing = await openWorkerSealing(ann)
  expect(sealing.open(pushed, [])).toMatchObject([{ content: 'dinner is ready' }])
  const answer = { ...reply, peerId: groupId, isGroup: true }
  expect(await sealing.sealReply(answer, to)).toEqual({ kind: 'app' })
})

test('P13: where the store of the app is gone or cannot be read, no reply leaves in plain', async () => {
  const indexedDB = new IDBFactory()
  vi.stubGlobal('indexedDB', indexedDB)
  onTestFinished(() => void vi.unstubAllGlobals())
  const nowhere = { origin: 'http://127.0.0.1:1', token: '' }
  const gone = await openWorkerSealing(ann)
  expect(await gone.sealReply(reply, nowhere)).toEqual({ kind: 'app' })
  expect(await indexedDB.databases()).toEqual([])

  // What a damaged profile leaves: its name, and none of its tables.
  await new Promise((resolve) => {
    indexedDB.open(`petrel-${ann}-device`).onsuccess = resolve
  })
  const damaged = await openWorkerSealing(ann)
  expect(await damaged.sealReply(reply, nowhere)).toEqual({ kind: 'app' })
})
