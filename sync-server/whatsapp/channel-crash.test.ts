import { v7 as uuidv7 } from 'uuid'
import { afterEach, expect, test } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import type { MessageDocument } from '../../schema/message.ts'
import {
  type OutboxEntry,
  outboxDatabase,
  outboxEntryKey,
} from '../messages/acceptance/outbox-entry.ts'
import { startTestChannel } from '../testing/start-test-channel.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function start(options: Parameters<typeof startTestChannel>[0] = {}) {
  const channel = await startTestChannel(options)
  open.push(channel)
  const ann = await channel.register('Ann')
  await channel.link(ann)
  const readMessages = async (): Promise<MessageDocument[]> => await channel.read(ann, 'messages')
  return { channel, ann, readMessages }
}

/** On a CouchDB the parts of a write are written one after the other. */
const storages = [
  ['at once', true],
  ['one after the other', false],
] as const

test.each(storages)(
  'P11: what was kept and not processed when the server died is shown after the next start, each once, where copies are written %s',
  async (_how, isAtomic) => {
    const { channel, readMessages } = await start({ overrides: { isAtomic } })
    const { emulator } = channel
    const wamids = Array.from({ length: 40 }, (_, index) =>
      emulator.inbound({ from: `1555555019${index % 4}`, content: `message ${index}` }),
    )
    await channel.advance(0)
    expect(emulator.deliveries().every(({ state }) => state === 'delivered')).toBe(true)
    await channel.killAndStart()
    await expect.poll(async () => (await readMessages()).length).toBe(40)
    for (const id of emulator.deliveries().map((one) => one.id)) emulator.redeliver(id)
    await channel.advance(0)
    emulator.inbound({ from: '15555550190', content: 'the last one' })
    await channel.advance(0)
    await expect.poll(async () => (await readMessages()).length).toBe(41)
    const shown = (await readMessages()).map((one) => one.whatsapp_message_id)
    expect(new Set(shown).size).toBe(41)
    expect(shown).toEqual(expect.arrayContaining(wamids))
    expect(await channel.read(await channel.register('Ben'), 'messages')).toEqual([])
  },
)

test.each(storages)(
  'P2: what was on its way when the server died is not sent again, and its status tells what became of it, where copies are written %s',
  async (_how, isAtomic) => {
    const { channel, ann, readMessages } = await start({ overrides: { isAtomic } })
    const { emulator } = channel
    emulator.inbound({ from: '15555550130', content: 'Hello' })
    await channel.advance(0)
    await expect.poll(async () => (await readMessages()).length).toBe(1)
    const [inbound] = await readMessages()
    const _id = uuidv7()
    await channel.push(ann, {
      _id,
      peerId: inbound?.peerId,
      senderId: ann.userId,
      recipientId: inbound?.peerId,
      content: 'On its way',
      type: 'text',
      status: 'sending',
      createdAt: Date.now(),
      orderedAt: Date.now(),
    })
    // Accepted, and never answered.
    await expect.poll(() => emulator.outbox().length).toBe(1)
    await channel.killAndStart()
    const find = async () => (await readMessages()).find((one) => one._id === _id)
    const settle = async () => {
      await channel.advance(20_000)
      return await find()
    }
    await expect.poll(settle).toMatchObject({ status: 'read' })
    await channel.advance(300_000)
    expect(emulator.outbox()).toHaveLength(1)
    expect(await find()).toMatchObject({ status: 'read', content: 'On its way' })
  },
)

test('P6: without any word from WhatsApp it is said that nobody knows, and its author may send it again', async () => {
  const { channel, ann, readMessages } = await start()
  const { emulator } = channel
  emulator.inbound({ from: '15555550191', content: 'Hello' })
  await channel.advance(0)
  await expect.poll(async () => (await readMessages()).length).toBe(1)
  emulator.addRule({ match: { to: '15555550191' }, times: 1, respond: { drop: true } })
  const answer = await channel
    .as(ann)
    .post('/webhooks/send', { to: '15555550191', message: 'Anybody?' })
  expect([answer.status, answer.body]).toEqual([
    201,
    expect.objectContaining({ queued: true, status: 'sent', whatsapp_message_id: null }),
  ])
  const find = async () => (await readMessages()).find(({ _id }) => _id === answer.body.messageId)
  expect(await find()).toMatchObject({ waState: 'unknown' })
  const later = async () => {
    await channel.advance(60_000)
    return await find()
  }
  await expect.poll(later).toMatchObject({
    status: 'failed',
    errorCode: 'whatsapp_no_confirmation',
    content: 'Anybody?',
  })
  expect(emulator.outbox()).toHaveLength(0)
  const again = { ...(await find()), status: 'sending', attempt: 2 }
  await channel.push(ann, again)
  await expect.poll(find).toMatchObject({ status: 'sent', waState: 'accepted', attempt: 2 })
  expect(emulator.outbox()).toHaveLength(1)
})

test('P6: what WhatsApp took is not called failed because a crash came before the end of its entry', async () => {
  const { channel, ann, readMessages } = await start()
  const { emulator, app } = channel
  emulator.inbound({ from: '15555550102', content: 'Hello' })
  await channel.advance(0)
  await expect.poll(async () => (await readMessages()).length).toBe(1)
  const sent = await channel.as(ann).post('/webhooks/send', { to: '15555550102', message: 'Hi' })
  expect(sent.status).toBe(201)
  const { messageId } = sent.body
  const find = async () => (await readMessages()).find((one) => one._id === messageId)
  const [inbound] = await readMessages()
  await channel.advance(1_000)
  await app.whileStopped(async (storage) => {
    const key = { ownerId: ann.userId, messageId, attempt: 1 }
    const times = { orderedAt: 0, dueAt: 0, tries: 1, since: emulator.now() }
    const contactId = inbound?.senderId ?? ''
    const _id = outboxEntryKey(key)
    await storage
      .database<OutboxEntry>(outboxDatabase)
      .insert({ _id, ...key, contactId, ...times, state: 'sending' })
  })
  await channel.listen()
  const countUnconfirmed = async () => {
    await channel.advance(30_000)
    const { text } = await app.call('GET', '/metrics')
    return /petrel_whatsapp_unconfirmed (\d+)/.exec(text)?.[1]
  }
  await expect.poll(countUnconfirmed).toBe('1')
  await expect.poll(countUnconfirmed).toBe('0')
  const left = await app.whileStopped((storage) => storage.database(outboxDatabase).range({}))
  expect(left).toEqual([])
  expect(await find()).toMatchObject({ status: 'sent', waState: 'accepted' })
  expect(await find()).not.toHaveProperty('error')
  expect(emulator.outbox()).toHaveLength(1)
})

test('a token that WhatsApp does not take any more stops all sends, and ends nobody’s sign-in', async () => {
  const { channel, ann, readMessages } = await start()
  const { emulator } = channel
  for (const from of ['15555550123', '15555550192']) emulator.inbound({ from, content: 'Hello' })
  await channel.advance(0)
  await expect.poll(async () => (await readMessages()).length).toBe(2)
  const send = (to: string) => channel.as(ann).post('/webhooks/send', { to, message: 'Hi' })
  const first = await send('15555550123')
  expect([first.status, first.body]).toEqual([
    503,
    expect.objectContaining({
      code: 'whatsapp_unavailable',
      error: 'WhatsApp channel is not available',
    }),
  ])
  const second = await send('15555550192')
  expect(second.status).toBe(503)
  expect(emulator.outbox()).toHaveLength(0)
  expect((await channel.as(ann).get('/users/me')).status).toBe(200)
  const text = (await channel.app.call('GET', '/metrics')).text
  expect(text).toMatch(/^petrel_whatsapp_failed_total 2$/m)
})

test('files go both ways: ours by an id of WhatsApp’s, theirs again when their address was over', async () => {
  const { channel, ann, readMessages } = await start()
  const { emulator } = channel
  const from = '15555550193'
  const wamid = emulator.inbound({ from, type: 'image', file: { sample: 'image' } })
  emulator.expireMedia()
  await channel.advance(0)
  const find = async () => (await readMessages()).find((one) => one.whatsapp_message_id === wamid)
  await expect.poll(find).toMatchObject({ media: { state: 'ready' } })
  const theirs = await find()
  // The operator can send that file back to them.
  const answer = await channel.as(ann).post('/messages', {
    recipientId: theirs?.peerId,
    content: 'Yours',
    type: 'image',
    mediaUrl: theirs?.mediaUrl,
    whatsappData: {},
  })
  expect([answer.status, answer.body.error]).toEqual([201, null])
  expect(emulator.outbox().at(-1)?.request).toMatchObject({
    type: 'image',
    image: { id: expect.any(String), caption: 'Yours' },
  })
  const lost = emulator.inbound({ from, type: 'image', file: { sample: 'image' } })
  emulator.expireMedia({ ids: true })
  const findLost = async () =>
    (await readMessages()).find((one) => one.whatsapp_message_id === lost)
  await channel.advance(0)
  await expect.poll(findLost).toMatchObject({
    media: { state: 'failed' },
    errorCode: 'whatsapp_131052',
  })
})

test('P8: who leaves takes their contacts along, and what comes then is nobody’s', async () => {
  const { channel, ann, readMessages } = await start()
  channel.emulator.inbound({ from: '15555550194', content: 'Hello' })
  await channel.advance(0)
  await expect.poll(async () => (await readMessages()).length).toBe(1)
  const left = await channel.app.leave(ann)
  expect(left.status).toBe(200)
  channel.emulator.inbound({ from: '15555550194', content: 'Still there?' })
  await channel.advance(0)
  await expect.poll(channel.countUnprocessed).toBe(0)
  const ben = await channel.register('Ben')
  expect((await channel.link(ben)).status).toBe(403)
  const operatorIds = [ben.userId]
  Object.assign(must(channel.app.settings.whatsApp, 'a channel'), { operatorIds })
  await channel.restart()
  expect((await channel.link(ben)).status).toBe(200)
  channel.emulator.inbound({ from: '15555550194', content: 'For Ben' })
  await channel.advance(0)
  const contents = async () =>
    (await channel.read(ben, 'messages')).map((one: MessageDocument) => one.content)
  await expect.poll(contents).toEqual(['For Ben'])
})
