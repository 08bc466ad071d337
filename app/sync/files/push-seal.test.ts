import { expect, onTestFinished, test } from 'vitest'
import { messageDocument } from '../../../schema/message.ts'
import { ApiError } from '../../api/api-error.ts'
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

/**
 * Ann's device with a first message to Ben. It knows nothing of him yet.
 * @param given.isLocked is it only known that she has keys? Then Ben has some, too.
 */
async function openFirstMessage({ isLocked = false } = {}) {
  const { database } = await openTestDatabase()
  if (isLocked) await database.peerKeys.take([{ _id: ann, keys: publishKeys(annsKeys, ann) }])
  else await database.keyring.set(annsKeys)
  const state = { isAway: true, asked: 0 }
  const seal = createPushSeal({
    database,
    secrets: { makeBefore: async () => {} },
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
  const cem = '01900000-0000-7000-8000-00000000000c'
  const members = [ann, cem].map((userId) => ({ userId, role: 'member' as const, joinedAt: '' }))
  await database.groups.take([testGroup({ members })])
  state.isAway = false
  await seal.settle([message], () => undefined)
  expect(seal.isHeld(message)).toBe(true)
  await expect.poll(() => state.asked).toBe(1)
  await expect.poll(() => seal.isWaiting(message)).toBe(false)
  await seal.settle([message], () => undefined)
  expect(seal.isHeld(message)).toBe(false)
  const { sealFirst } = createFirstSealing({
    database,
    askPerson: () => expect.unreachable('a group is no person'),
  })
  expect(await sealFirst(message)).toBe(message)
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
  await seal.settle([message], () => undefined)
  expect(seal.isHeld(message)).toBe(false)
})

test('P13: words on a locked device wait for its keys, also once it has just asked for their reader', async () => {
  const { database, seal, state, message } = await openFirstMessage({ isLocked: true })
  state.isAway = false
  let told = 0
  seal.subscribe(() => {
    told += 1
  })
  await seal.settle([message], () => undefined)
  // Of Ben's keys, and that his record was read.
  await expect.poll(() => told).toBe(2)
  expect(state.asked).toBe(1)
  expect([seal.isHeld(message), seal.isWaiting(message)]).toEqual([true, true])
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
  await offer()
  await expect.poll(() => seal.isWaiting(message)).toBe(false)
  expect([asked, seal.isHeld(message)]).toEqual([[ann], true])
  await offer()
  await expect.poll(() => asked).toEqual([ann, ben])
  await offer()
  expect([seal.isHeld(message), seal.isWaiting(message)]).toEqual([true, true])
})

test('P13: what waits, sealed to a former key of its reader, is sealed to the present one before it leaves', async () => {
  const { database, seal, message } = await openFirstMessage()
  await database.peerKeys.take([{ _id: ben, keys: publishKeys(bensKeys, ben) }])
  const waiting = database.sealing.seal(message, undefined)
  await database.messages.insert(toStoredMessage(waiting, ann))
  const next = deriveAccountKeys({ seed: new Uint8Array(32).fill(3), number: 2 })
  await database.peerKeys.take([{ _id: ben, keys: publishKeys(next, ben) }])
  await seal.settle([waiting], () => undefined)
  expect(seal.isHeld(waiting)).toBe(true)
  const stored = await database.messages.findOne(waiting._id).exec()
  const part = stored?.toMutableJSON().sealed ?? ''
  expect(part).not.toBe(waiting.sealed)
  expect(database.sealing.isSealedNow(ben, readEpochId(part))).toBe(true)
})

test('P13: a file leaves a device without keys only once its person’s record says that there are none, and sealed where there are', async () => {
  const { database } = await openTestDatabase()
  const asked: string[] = []
  const { sealFirst } = createFirstSealing({
    database,
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
