import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import { createDeferred } from '../../schema/helpers/deferred.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { react } from '../../schema/reaction.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../storage/documents/database-names.ts'
import { interruptUpdates } from '../testing/interrupt-updates.ts'
import {
  openTestAcceptance,
  propose,
  type TestAcceptance,
  writeMessage,
} from '../testing/open-test-acceptance.ts'
import type { Stage } from './acceptance/delivery-types.ts'
import { createAcceptance } from './message-acceptance.ts'

const crash: { after?: Stage; reached?: () => void; held?: Promise<void> } = {}
let t: TestAcceptance
beforeEach(async () => {
  t = await openTestAcceptance({
    isAtomic: false,
    onStage: (stage) => {
      if (stage !== crash.after) return
      crash.reached?.()
      return crash.held ?? new Promise(() => undefined)
    },
  })
})
afterEach(() => t.close())

const fromAnn = (content = 'hello') =>
  writeMessage({ senderId: t.ann, recipientId: t.ben, content })
const send = (message: MessageDocument) =>
  t.acceptance.acceptMessages({ actorId: t.ann, proposals: [propose(message)] })

/** Sends, stops forever after a stage, and restarts on what is stored. */
async function sendAndCrash(after: Stage, message = fromAnn()) {
  const reached = new Promise<void>((resolve) => {
    Object.assign(crash, { after, reached: resolve })
  })
  send(message).catch(() => undefined)
  await reached
  Object.assign(crash, { after: undefined })
  t.restart()
  return message
}

async function expectComplete(message: MessageDocument) {
  const own = await t.readMessage(t.ann, message._id)
  const bens = await t.readMessage(t.ben, message._id)
  expect(own).toMatchObject({ status: 'sent', content: message.content, peerId: t.ben })
  expect(bens).toMatchObject({ status: 'delivered', orderedAt: own?.orderedAt })
  const lastMessage = { _id: message._id, orderedAt: own?.orderedAt }
  expect(await t.readConversation(t.ann, t.ben)).toMatchObject({ lastMessage })
  expect(await t.readConversation(t.ben, t.ann)).toMatchObject({ lastMessage })
}

describe('P3: a crash between the two copies', () => {
  test('is healed at the start, for an author who never comes back', async () => {
    const message = await sendAndCrash('peer')
    expect(await t.readMessages(t.ann)).toEqual([])
    expect(await t.acceptance.healCopies()).toBe(1)
    await expectComplete(message)
    expect(await t.acceptance.healCopies()).toBe(0)
  })

  test('is finished by the retry, in the place that the other copy has', async () => {
    const message = await sendAndCrash('peer')
    await send(message)
    await expectComplete(message)
    expect(await t.acceptance.healCopies()).toBe(0)
    expect(await t.readMessages(t.ben)).toHaveLength(1)
  })

  test('heals once, also when the retry comes at the same time', async () => {
    const message = await sendAndCrash('peer')
    await Promise.all([t.acceptance.healCopies(), send(message), send(message)])
    await expectComplete(message)
    expect(await t.readMessages(t.ann)).toHaveLength(1)
  })

  test('of a message that was refused before and sent again is healed to sent', async () => {
    const empty = fromAnn('')
    await send(empty)
    const retry = { ...empty, content: 'words', attempt: 2, editedAt: Date.now() }
    await sendAndCrash('peer', retry)
    expect(await t.acceptance.healCopies()).toBe(1)
    const own = await t.readMessage(t.ann, empty._id)
    expect(own).toMatchObject({ status: 'sent', content: 'words', attempt: 2 })
  })
})

describe('a message that its author takes back after such a crash', () => {
  const takenBack = { content: '', deletedAt: expect.any(Number) }

  async function expectTakenBack({ _id }: MessageDocument) {
    expect(await t.readMessage(t.ben, _id)).toMatchObject({ ...takenBack, status: 'delivered' })
    expect(await t.readMessage(t.ann, _id)).toMatchObject({ ...takenBack, status: 'sent' })
  }

  test('does not stay with its reader', async () => {
    const message = await sendAndCrash('peer')
    await send({ ...message, deletedAt: Date.now() })
    await expectTakenBack(message)
    await t.acceptance.healCopies()
    await expectTakenBack(message)
  })

  test('does not stay with its reader either when the healer is the first to know of both', async () => {
    const message = await sendAndCrash('peer')
    const discarded = { ...message, status: 'failed', content: '', deletedAt: Date.now() }
    await t.storage.database(nameMessagesDatabase(t.ann)).insert(discarded)
    await t.acceptance.healCopies()
    await expectTakenBack(message)
  })

  test('does not stay with its reader when it was called failed', async () => {
    const message = await sendAndCrash('peer')
    const failed = { ...message, status: 'failed' as const, errorCode: 'recipient_unavailable' }
    await t.storage.database(nameMessagesDatabase(t.ann)).insert(failed)
    await send({ ...failed, deletedAt: Date.now() })
    await expectTakenBack(message)
  })

  test('takes nothing from anybody else’s message of the same id', async () => {
    const cyd = await t.register('Cyd')
    const cyds = writeMessage({ senderId: cyd, recipientId: t.ben, content: 'stays' })
    await t.acceptance.acceptMessages({ actorId: cyd, proposals: [propose(cyds)] })
    await send({ ...fromAnn(), _id: cyds._id, deletedAt: Date.now() })
    expect(await t.readMessage(t.ben, cyds._id)).toMatchObject({ content: 'stays', senderId: cyd })
    expect(await t.readMessage(t.ann, cyds._id)).toMatchObject({ status: 'failed' })
  })
})

describe('a crash elsewhere', () => {
  test('before the first copy leaves nothing, and the retry sends it once', async () => {
    const message = await sendAndCrash('ordered')
    expect(await t.acceptance.healCopies()).toBe(0)
    expect(await t.readMessages(t.ben)).toEqual([])
    await send(message)
    await expectComplete(message)
  })

  test('after the copies leaves conversations that the start makes good', async () => {
    const message = await sendAndCrash('own')
    expect(await t.readConversation(t.ann, t.ben)).toBeUndefined()
    await t.acceptance.healCopies()
    await expectComplete(message)
  })
})

test('P3: conversations that a full disk refused, with the hint of them, begin once there is room', async () => {
  const disk = { isFull: true }
  const refuse = async () => {
    if (disk.isFull) throw new Error('The disk is full.')
  }
  const { storage, relations } = t
  const full = [nameConversationsDatabase(t.ann), 'debts'].reduce(
    (wrapped, name) => interruptUpdates(wrapped, name, refuse),
    storage,
  )
  const acceptance = createAcceptance({ storage: full, relations })
  const message = fromAnn()
  await acceptance.acceptMessages({ actorId: t.ann, proposals: [propose(message)] })
  expect(await t.readConversation(t.ann, t.ben)).toBeUndefined()
  disk.isFull = false
  await acceptance.healCopies()
  await expectComplete(message)
  await acceptance.close()
})

describe('a message that is being written', () => {
  /** Pauses a write after the first copy, until released. */
  async function sendHeldUp() {
    const go = { on: () => {} }
    const held = new Promise<void>((resolve) => Object.assign(go, { on: resolve }))
    const reached = new Promise<void>((resolve) => Object.assign(crash, { reached: resolve, held }))
    Object.assign(crash, { after: 'peer' })
    const message = fromAnn()
    const sent = send(message)
    await reached
    Object.assign(crash, { after: undefined, held: undefined })
    return { message, sent, letGo: () => go.on() }
  }

  test('is not healed under the hands of its writer, who is told that it is new', async () => {
    const { message, sent, letGo } = await sendHeldUp()
    expect(await t.acceptance.healCopies()).toBe(0)
    letGo()
    expect(await sent).toMatchObject([{ kind: 'stored', isNew: true, isTaken: true }])
    await expectComplete(message)
    expect(await t.acceptance.healCopies()).toBe(0)
    const orders = t.storage.database('orders')
    expect(await orders.readLocal('healed')).toMatchObject({ seq: await orders.updateSeq() })
  })

  test('on another server is healed there only once that one must be gone', async () => {
    const { storage, relations } = t
    const clock = { aheadMs: 0 }
    const now = () => Date.now() + clock.aheadMs
    const other = createAcceptance({ storage, relations, isShared: true, now })
    const { message, sent, letGo } = await sendHeldUp()
    expect(await other.healCopies()).toBe(0)
    clock.aheadMs = 60_000
    expect(await other.healCopies()).toBe(1)
    letGo()
    await sent
    await expectComplete(message)
  })
})

describe('a reader who reacts while the author’s copy is missing', () => {
  const liked = () => ({ reactions: { [t.ben]: { emoji: '👍', at: expect.any(Number) } } })

  async function expectLiked({ _id }: MessageDocument) {
    expect(await t.readMessage(t.ben, _id)).toMatchObject(liked())
    expect(await t.readMessage(t.ann, _id)).toMatchObject({ ...liked(), status: 'sent' })
  }

  async function like({ _id }: MessageDocument) {
    const copy = must(await t.readMessage(t.ben, _id), 'the reader’s copy')
    const proposed = react(copy, { userId: t.ben, emoji: '👍', now: Date.now() })
    await t.acceptance.acceptMessages({ actorId: t.ben, proposals: [propose(proposed)] })
  }

  /** Pauses the reaction once it has found no author's copy. */
  async function likeHeldUp(message: MessageDocument) {
    const [held, reached] = [createDeferred<void>(), createDeferred<void>()]
    Object.assign(crash, { after: 'ordered', held: held.promise, reached: reached.resolve })
    const liking = like(message)
    await reached.promise
    Object.assign(crash, { after: undefined, held: undefined })
    return async () => {
      held.resolve()
      await liking
    }
  }

  test('P5: is seen by an author who sends it again meanwhile', async () => {
    const message = await sendAndCrash('peer')
    const letGo = await likeHeldUp(message)
    await send(message)
    expect(await t.readMessage(t.ann, message._id)).toMatchObject({ status: 'sent' })
    await letGo()
    await expectLiked(message)
  })

  test('P5: is seen by an author whose copy is healed meanwhile', async () => {
    const message = await sendAndCrash('peer')
    const letGo = await likeHeldUp(message)
    expect(await t.acceptance.healCopies()).toBe(1)
    await letGo()
    await expectLiked(message)
  })

  test('P5: is seen by an author who sends it again later', async () => {
    const message = await sendAndCrash('peer')
    await like(message)
    expect(await t.readMessages(t.ann)).toEqual([])
    await send(message)
    await expectLiked(message)
  })
})

describe('the checkpoint', () => {
  test('passes what this server finished, and stops at what it did not', async () => {
    const orders = t.storage.database('orders')
    for (let i = 0; i < 5; i += 1) await send(fromAnn(String(i)))
    await t.acceptance.close()
    expect(await orders.readLocal('healed')).toMatchObject({ seq: await orders.updateSeq() })
    const message = await sendAndCrash('ordered')
    const seq = (await orders.readLocal('healed'))?.seq
    await t.acceptance.healCopies()
    expect(await orders.readLocal('healed')).toMatchObject({ seq })
    await send(message)
    await t.acceptance.healCopies()
    expect(await orders.readLocal('healed')).toMatchObject({ seq: await orders.updateSeq() })
  })

  test('moves on its own while messages are sent', async () => {
    const messages = Array.from({ length: 600 }, (_, i) => fromAnn(String(i)))
    const proposals = messages.map(propose)
    await t.acceptance.acceptMessages({ actorId: t.ann, proposals })
    await expect
      .poll(async () => (await t.storage.database('orders').readLocal('healed'))?.seq)
      .toBe(600)
  })
})

test('P3: a server killed between the two copies is healed by the next one', async () => {
  const child = fileURLToPath(new URL('../testing/send-and-hang.ts', import.meta.url))
  const { dataDir, ann, ben } = t
  const message = fromAnn('killed')
  await t.storage.close()
  const args = ['--import', 'tsx', child, dataDir, JSON.stringify(message)]
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  const [said] = await Promise.race([once(server.stdout, 'data'), ended])
  expect(String(said)).toContain('between the copies')
  server.kill('SIGKILL')
  await ended

  t.reopen()
  expect(await t.readMessages(ben)).toHaveLength(1)
  expect(await t.readMessages(ann)).toHaveLength(0)
  await t.acceptance.healCopies()
  await expectComplete(message)
})
