import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MessageDocument } from '../../schema/message.ts'
import type { TestPerson } from '../testing/start-test-app.ts'
import { startTestChannel, type TestChannel } from '../testing/start-test-channel.ts'

const opened = {} as { channel: TestChannel; ann: TestPerson; ben: TestPerson }
beforeAll(async () => {
  opened.channel = await startTestChannel()
  opened.ann = await opened.channel.register('Ann')
  opened.ben = await opened.channel.register('Ben')
})
afterAll(() => opened.channel.close())

const readMessages = async (person = opened.ann): Promise<MessageDocument[]> =>
  await opened.channel.read(person, 'messages')
const findByText = async (content: string) =>
  (await readMessages()).find((one) => one.content === content)

test('linking a number of the business is checked with WhatsApp, and its messages become the operator’s own', async () => {
  const { channel, ann, ben } = opened
  const linked = await channel.link(ann)
  expect([linked.status, linked.body]).toEqual([
    200,
    {
      wa_id: '15550783881',
      phone_number: '15550783881',
      phone_number_id: '106540352242922',
      whatsapp_name: expect.any(String),
      profile: expect.objectContaining({ whatsapp_business_account_id: '102290129340398' }),
      whatsapp_connected: true,
    },
  ])
  channel.emulator.inbound({ from: '15555550101', name: 'Sheena Nelson', content: 'Hello 🌵' })
  await channel.advance(0)
  await expect
    .poll(() => findByText('Hello 🌵'))
    .toMatchObject({
      isWhatsApp: true,
      status: 'delivered',
      senderName: 'Sheena Nelson',
      recipientId: ann.userId,
      from_phone: '15555550101',
      to_phone: '15550783881',
    })
  const [conversation] = await channel.read(ann, 'conversations')
  const [message] = await readMessages()
  expect(conversation).toMatchObject({
    _id: message?.senderId,
    whatsapp_conversation_id: 'wa:106540352242922:15555550101',
    phone_number_id: '106540352242922',
    display_phone_number: '15550783881',
    contacts: [{ profile: { name: 'Sheena Nelson' }, wa_id: '15555550101' }],
  })
  // Readable by nobody else.
  expect(await readMessages(ben)).toEqual([])
  const contact = message?.senderId ?? ''
  expect((await channel.as(ben).get(`/users/${contact}`)).status).toBe(404)
  expect((await channel.as(ann).get(`/users/${contact}`)).body).toMatchObject({
    username: 'Sheena Nelson',
    phone_number: '15555550101',
    isWhatsAppContact: true,
  })
  const named = await channel.as(ann).get('/users/search/sheena')
  expect(named.body).toMatchObject([{ _id: contact }])
  expect((await channel.as(ben).get('/users/search/sheena')).body).toEqual([])
  expect((await channel.as(ann).get('/messages/conversations')).body).toMatchObject([
    { user: { username: 'Sheena Nelson' }, unreadCount: 1, phone_number_id: '106540352242922' },
  ])
})

describe('a message that a device pushes into the conversation', () => {
  test('P1: is kept as sent, leaves once, and its ticks come by the document itself', async () => {
    const { channel, ann } = opened
    const peerId = (await findByText('Hello 🌵'))?.senderId ?? ''
    const _id = uuidv7()
    const doc = {
      _id,
      peerId,
      senderId: ann.userId,
      recipientId: peerId,
      content: 'Hi Sheena',
      createdAt: Date.now(),
      orderedAt: Date.now(),
      status: 'sending',
      type: 'text',
    }
    expect(await channel.push(ann, doc)).toMatchObject({ ok: true })
    await channel.push(ann, doc)
    await expect
      .poll(() => findByText('Hi Sheena'))
      .toMatchObject({
        status: 'sent',
        waState: 'accepted',
        to_phone: '15555550101',
        whatsapp_message_id: expect.stringMatching(/^wamid\./),
      })
    expect(channel.emulator.outbox().map(({ request }) => request)).toMatchObject([
      { to: '+15555550101', text: { body: 'Hi Sheena' } },
    ])
    await channel.advance(1_000)
    await expect.poll(() => findByText('Hi Sheena')).toMatchObject({ status: 'delivered' })
  })
})
