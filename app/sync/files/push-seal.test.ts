import { expect, onTestFinished, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { messageDocument } from '../../../schema/message.ts'
import { ApiError } from '../../api/api-error.ts'
import { makeGroupSecret } from '../../database/commands/make-group-secret.ts'
import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import { toStoredMessage } from '../../database/storage/stored-message.ts'
import { ann, ben, openTestDatabase } from '../../database/testing/open-test-database.ts'
import { testGroup } from '../../database/testing/test-user.ts'
import { deriveAccountKeys, publishKeys } from '../../encryption/account-keys.ts'
import { readEpochId } from '../../encryption/sealed-message.ts'
import { createFirstSealing, createPushSeal } from './push-seal.ts'

const away = new ApiError({ code: 'network', words: 'No connection', status: 0 })

const keysOf = (byte: number) =>
  deriveAccountKeys({ seed: new Uint8Array(32).fill(byte), number: 1 })
const [annsKeys, bensKeys] = [keysOf(1), keysOf(2)]

const written = {
  _id: '01900000-0000-7000-8000-000000000001',
  peerId: ben,
  senderId: ann,
  recipientId: ben,
  content: 'the albatross lands',
  createdAt: 1,
  orderedAt: 1,
  status: 'sending',
}

const cem = '01900000-0000-7000-8000-00000000000c'
const groupOf = (...ids: string[]) =>
  testGroup({ members: ids.map((userId) => ({ userId, role: 'member', joinedAt: '' })) })
const keysFor = (userId: string) => ({ _id: userId, keys: publishKeys(bensKeys, userId) })

/**
 * Ann's device with a first message to Ben. It knows nothing of him yet.
 * @param given.isLocked is it only known that she has keys? Then Ben has some, too.
 * @param given.makeBefore what happens while a secret of a group is stored
 */
async function openFirstMessage({
  isLocked = false,
  makeBefore = async (_database: PetrelDatabase) => {},
} = {}) {
  const { database } = await openTestDatabase()
  if (isLocked) await database.peerKeys.take([{ _id: ann, keys: publishKeys(annsKeys, ann) }])
  else await database.keyring.set(annsKeys)
  const state = { isAway: true, asked: 0 }
  const seal = createPushSeal({
    database,
    secrets: { makeBefore: () => makeBefore(database) },
    userId: ann,
    async askPerson() {
      state.asked += 1
      if (state.isAway) throw away
      if (!isLocked) return
      await database.peerKeys.take([{ _id: ben, keys: publishKeys(bensKeys, ben) }])
    },
    random: () => 1,
    onError(cause) {
      throw cause
    },
  })
  onTestFinished(() => seal.close())
  const message = messageDocument.parse(written)
  return { database, seal, state, message }
}

test('P13: words to a group wait for the records of all who are in it, and leave plain where one has no keys', async () => {
  const { database, seal, state, message } = await openFirstMessage()
  await database.groups.take([groupOf(ann, cem)])
  state.isAway = false
  const settle = async () => await seal.settle([message], () => undefined)
  expect((await settle()).isHeld(message)).toBe(true)
  await expect.poll(() => state.asked).toBe(1)
  await expect.poll(() => seal.isWaiting(message)).toBe(false)
  expect((await settle()).isHeld(message)).toBe(false)
  const asked: string[] = []
  const { sealFirst } = createFirstSealing({
    context: { userId: ann, database, now: () => 1 },
    askPerson: async (userId) => asked.push(userId),
  })
  expect(await sealFirst(message)).toBe(message)
  expect(asked).toEqual([cem])
})

test('P6 P13: words come back that could not be sealed before their author was out of the group, and none leaves', async () => {
  const { database, seal, message } = await openFirstMessage({
    makeBefore: (opened) => opened.groups.take([{ ...groupOf(ann, cem), hasLeft: true }]),
  })
  await database.groups.take([groupOf(ann, cem)])
  await database.peerKeys.take([keysFor(cem)])
  await database.messages.insert(toStoredMessage(message, ann))
  expect((await seal.settle([message], () => undefined)).isReturned(message._id)).toBe(true)
  const stored = await database.messages.findOne(message._id).exec()
  expect(stored?.toMutableJSON()).toMatchObject({
    status: 'failed',
    content: 'the albatross lands',
    errorCode: 'group_left',
  })
})

test('P13: no words leave in plain where somebody comes into the group while its secret is stored', async () => {
  const dan = '01900000-0000-7000-8000-00000000000d'
  const { database, seal, message } = await openFirstMessage({
    async makeBefore(opened) {
      const context = { userId: ann, database: opened, now: () => 1 }
      await makeGroupSecret(context, { groupId: ben, before: 1 })
      await opened.groups.take([groupOf(ann, cem, dan)])
    },
  })
  await database.groups.take([groupOf(ann, cem)])
  await database.peerKeys.take([keysFor(cem), keysFor(dan)])
  await database.messages.insert(toStoredMessage(message, ann))
  expect((await seal.settle([message], () => undefined)).isHeld(message)).toBe(true)
  const stored = await database.messages.findOne(message._id).exec()
  expect(readEpochId(stored?.toMutableJSON().sealed ?? '')).toBe(
    database.groupKeys.findCurrent(ben)?.id,
  )
})

test('P13: a file for a group waits for the records of its members, and leaves sealed with a secret of all of them', async () => {
  const { database } = await openFirstMessage()
  await database.groups.take([groupOf(ann, cem)])
  const file = { name: 'albatross.txt', size: 4, mimeType: 'text/plain' }
  const message = messageDocument.parse({ ...written, content: '', type: 'document', file })
  await database.messages.insert(toStoredMessage(message, ann))
  const state = { isAway: true }
  const { sealFirst } = createFirstSealing({
    context: { userId: ann, database, now: () => 1 },
    async askPerson(_id) {
      if (state.isAway) throw away
      await database.peerKeys.take([{ _id, keys: publishKeys(bensKeys, _id) }])
    },
  })
  await expect(sealFirst(message)).rejects.toBe(away)
  state.isAway = false
  const sealed = await sealFirst(message)
  expect(sealed?.file?.key).toEqual(expect.any(String))
  const { id } = must(database.groupKeys.findCurrent(ben), 'a secret of the group')
  expect(readEpochId(sealed?.sealed ?? '')).toBe(id)
})

test('P13: a record that no network let through is asked for as soon as the server answers anything', async () => {
  const { seal, state, message } = await openFirstMessage()
  await seal.settle([message], () => undefined)
  // So often that the next attempt by itself is half a minute away.
  const askOnce = () => {
    seal.hurry()
    return state.asked
  }
  await expect.poll(askOnce).toBeGreaterThanOrEqual(8)
  expect(seal.isWaiting(message)).toBe(true)
  state.isAway = false
  const isTold = new Promise<void>((resolve) => seal.subscribe(resolve))
  await expect
    .poll(() => {
      seal.recordAnswer()
      return seal.isWaiting(message)
    })
    .toBe(false)
  await isTold
  expect((await seal.settle([message], () => undefined)).isHeld(message)).toBe(false)
})

test('P13: words on a locked device wait for its keys, also once it has just asked for their reader', async () => {
  const { database, seal, state, message } = await openFirstMessage({ isLocked: true })
  state.isAway = false
  let told = 0
  seal.subscribe(() => {
    told += 1
  })
  const settled = await seal.settle([message], () => undefined)
  // Of Ben's keys, and that his record was read.
  await expect.poll(() => told).toBe(2)
  expect(state.asked).toBe(1)
  expect([settled.isHeld(message), seal.isWaiting(message)]).toEqual([true, true])
  await database.keyring.set(annsKeys)
  expect(seal.isWaiting(message)).toBe(false)
})

test('P13: a device that knows of no keys asks for its own person’s record before any other, and lets nothing go that has to be sealed', async () => {
  const { database } = await openTestDatabase()
  const asked: string[] = []
  const seal = createPushSeal({
    database,
    secrets: { makeBefore: async () => {} },
    userId: ann,
    async askPerson(_id) {
      asked.push(_id)
      const keys = publishKeys(_id === ann ? annsKeys : bensKeys, _id)
      await database.peerKeys.take([{ _id, keys }])
    },
    random: () => 1,
    onError(cause) {
      throw cause
    },
  })
  onTestFinished(() => seal.close())
  const message = messageDocument.parse(written)
  const offer = () => seal.settle([message], () => undefined)
  const first = await offer()
  await expect.poll(() => seal.isWaiting(message)).toBe(false)
  expect([asked, first.isHeld(message)]).toEqual([[ann], true])
  await offer()
  await expect.poll(() => asked).toEqual([ann, ben])
  expect([(await offer()).isHeld(message), seal.isWaiting(message)]).toEqual([true, true])
})

test('P13: what waits, sealed to a former key of its reader, is sealed to the present one before it leaves', async () => {
  const { database, seal, message } = await openFirstMessage()
  await database.peerKeys.take([{ _id: ben, keys: publishKeys(bensKeys, ben) }])
  const waiting = database.sealing.seal(message, undefined)
  await database.messages.insert(toStoredMessage(waiting, ann))
  const next = deriveAccountKeys({ seed: new Uint8Array(32).fill(3), number: 2 })
  await database.peerKeys.take([{ _id: ben, keys: publishKeys(next, ben) }])
  const settled = await seal.settle([waiting], () => undefined)
  expect(settled.isHeld(waiting)).toBe(true)
  const stored = await database.messages.findOne(waiting._id).exec()
  const part = stored?.toMutableJSON().sealed ?? ''
  expect(part).not.toBe(waiting.sealed)
  expect(database.sealing.isSealedNow(ben, readEpochId(part))).toBe(true)
})

test('P13: a file leaves a device without keys only once its person’s record says that there are none, and sealed where there are', async () => {
  const { database } = await openTestDatabase()
  const asked: string[] = []
  const { sealFirst } = createFirstSealing({
    context: { userId: ann, database, now: () => 1 },
    async askPerson(_id) {
      asked.push(_id)
      const keys = publishKeys(_id === ann ? annsKeys : bensKeys, _id)
      await database.peerKeys.take([{ _id, keys }])
    },
  })
  const file = { name: 'albatross.txt', size: 4, mimeType: 'text/plain' }
  const message = messageDocument.parse({ ...written, content: '', type: 'document', file })
  await database.messages.insert(toStoredMessage(message, ann))
  expect(await sealFirst(message)).toBeUndefined()
  expect(asked).toEqual([ann, ben])
  await database.keyring.set(annsKeys)
  expect(await sealFirst(message)).toMatchObject({
    sealed: expect.stringMatching(/^1\./),
    file: { key: expect.any(String) },
  })
})
