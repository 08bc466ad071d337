import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConversationDocument } from '../../schema/conversation.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { openTestSocket, type TestSocket } from '../testing/open-test-socket.ts'
import type { TestPerson } from '../testing/start-test-app.ts'
import { startTestChannel, type TestChannel } from '../testing/start-test-channel.ts'
import type { InboundOptions } from '../tools/whatsapp-emulator/control/control.ts'
import { inboundMessageKey } from './inbound/inbound-message.ts'

const opened = {} as { channel: TestChannel; ann: TestPerson; socket: TestSocket }
beforeAll(async () => {
  const channel = await startTestChannel()
  opened.channel = channel
  opened.ann = await channel.register('Ann')
  await channel.link(opened.ann)
  opened.socket = await openTestSocket({ url: channel.app.url, token: opened.ann.token })
  await opened.socket.untilGreeted()
})
afterAll(async () => {
  opened.socket.socket.close()
  await opened.channel.close()
})

const readMessages = async (): Promise<MessageDocument[]> =>
  await opened.channel.read(opened.ann, 'messages')
const findByWamid = async (wamid: string) =>
  (await readMessages()).find((one) => one.whatsapp_message_id === wamid)
const readConversations = async (): Promise<ConversationDocument[]> =>
  await opened.channel.read(opened.ann, 'conversations')

const customer = '15555550170'
/** @returns the operator's copy of the message */
async function hear(options: Partial<InboundOptions>): Promise<MessageDocument> {
  const wamid = opened.channel.emulator.inbound({ from: customer, ...options })
  await opened.channel.advance(0)
  await expect.poll(() => findByWamid(wamid)).toBeDefined()
  const found = await findByWamid(wamid)
  if (!found) throw new Error('it is gone')
  return found
}
/** Brings a message of WhatsApp's that the emulator's customers do not write. */
async function bring(message: Record<string, unknown>) {
  const { account, sendRaw } = opened.channel.emulator
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: account.numberDigits, phone_number_id: account.numberId },
    messages: [{ id: `wamid.${uuidv7()}`, timestamp, ...message }],
  }
  const entry = [{ id: account.businessAccountId, changes: [{ field: 'messages', value }] }]
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry })
  expect(await sendRaw(body, true)).toBe(200)
}
const say = async (to: string, message: unknown, more: Record<string, unknown> = {}) => {
  const answer = await opened.channel
    .as(opened.ann)
    .post('/webhooks/send', { to, message, ...more })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body
}

describe('what a customer sends', () => {
  test.each([
    ['a text', { content: 'Hi' }, { type: 'text', content: 'Hi' }],
    [
      'a place',
      { type: 'location', content: { latitude: 52.5, longitude: 13.4, name: 'Berlin' } },
      { type: 'text', content: 'Berlin', location: { latitude: 52.5, longitude: 13.4 } },
    ],
    [
      'contacts',
      { type: 'contacts', content: [{ name: { formatted_name: 'Ben B.' } }] },
      { type: 'text', content: 'Ben B.', contacts: [{ name: { formatted_name: 'Ben B.' } }] },
    ],
    [
      'the press of a button',
      {
        type: 'interactive',
        content: { type: 'button_reply', button_reply: { id: 'btn_0', title: 'Yes' } },
      },
      { type: 'interactive', content: 'Yes', button: { payload: 'btn_0', text: 'Yes' } },
    ],
    [
      'a row of a list',
      {
        type: 'interactive',
        content: { type: 'list_reply', list_reply: { id: 'r1', title: 'One', description: 'D' } },
      },
      { content: 'One', list_reply: { id: 'r1', title: 'One', description: 'D' } },
    ],
    [
      'the press of a template’s button',
      { type: 'button', content: { payload: 'STOP', text: 'Stop' } },
      { type: 'text', content: 'Stop', button: { payload: 'STOP', text: 'Stop' } },
    ],
    [
      'an order',
      { type: 'order', content: { catalog_id: '1', product_items: [{}, {}] } },
      { type: 'text', content: 'Order: 2 items' },
    ],
    [
      'what WhatsApp does not tell',
      { type: 'unsupported' },
      { content: 'This message type is not supported', errorCode: 'whatsapp_131051' },
    ],
  ])('%s is shown', async (_what, options, expected) => {
    expect(await hear(options)).toMatchObject({
      ...expected,
      isWhatsApp: true,
      status: 'delivered',
      from_phone: customer,
    })
  })

  test('an answer names what it answers, on either side', async () => {
    const first = await hear({ content: 'First' })
    const own = await say(customer, 'Second', { replyToMessageId: first._id })
    const sent = opened.channel.emulator.outbox().at(-1)
    expect(sent?.request).toMatchObject({ context: { message_id: first.whatsapp_message_id } })
    const third = await hear({ content: 'Third', replyTo: own.whatsapp_message_id })
    expect(third.replyTo).toBe(own.messageId)
    expect((await hear({ content: 'Fourth', replyTo: 'wamid.unknown' })).replyTo).toBeUndefined()
  })

  test('a photo is shown at once and its file comes after, told by the same id', async () => {
    const message = await hear({
      type: 'image',
      file: { sample: 'image' },
      content: { caption: 'Look' },
    })
    expect(message).toMatchObject({ type: 'image', content: 'Look' })
    const find = () => findByWamid(message.whatsapp_message_id ?? '')
    await expect.poll(find).toMatchObject({
      mediaUrl: expect.stringMatching(/^\/api\/media\//),
      media: { state: 'ready' },
    })
    const mediaUrl = (await find())?.mediaUrl ?? ''
    const { token } = opened.ann
    const file = await fetch(`${opened.channel.app.url}${mediaUrl}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png'])
    const told = () =>
      opened.socket.heard.flatMap((one) =>
        one.event === 'whatsapp-message-received' && one.data.messageId === message._id
          ? [one.data.mediaUrl]
          : [],
      )
    await expect.poll(told).toEqual([null, mediaUrl])
    // Nobody else gets it, even with its address.
    const ben = await opened.channel.register(`Ben-${Date.now()}`)
    const refused = await opened.channel.app.call('GET', mediaUrl, { token: ben.token })
    expect(refused.status).toBe(404)
  })

  test('a reaction belongs to its message, and can be taken back', async () => {
    const { messageId, whatsapp_message_id } = await say(customer, 'React to me')
    const react = async (emoji: string) => {
      opened.channel.emulator.inbound({
        from: customer,
        type: 'reaction',
        content: { message_id: whatsapp_message_id, emoji },
      })
      await opened.channel.advance(1_000)
    }
    const read = async () =>
      Object.values(
        (await readMessages()).find(({ _id }) => _id === messageId)?.reactions ?? {},
      ).map(({ emoji }) => emoji)
    const before = (await readMessages()).length
    await react('👍')
    await expect.poll(read).toEqual(['👍'])
    await react('')
    await expect.poll(read).toEqual([''])
    expect((await readMessages()).length).toBe(before)
  })

  test('an edit changes the text, and a withdrawal takes it away', async () => {
    const message = await hear({ content: 'Helo' })
    const wamid = message.whatsapp_message_id ?? ''
    const about = (type: string, more = {}) =>
      opened.channel.emulator.inbound({
        from: customer,
        type,
        content: { original_message_id: wamid, ...more },
      })
    const find = async () => (await readMessages()).find(({ _id }) => _id === message._id)
    await opened.channel.advance(2_000)
    about('edit', { message: { type: 'text', text: { body: 'Hello' } } })
    await opened.channel.advance(2_000)
    await expect.poll(find).toMatchObject({ content: 'Hello', editedAt: expect.any(Number) })
    about('revoke')
    await opened.channel.advance(0)
    await expect.poll(find).toMatchObject({ content: '', deletedAt: expect.any(Number) })
  })
})

describe('what WhatsApp brings in the wrong order', () => {
  const sentAt = Math.floor(Date.now() / 1_000)
  const original = (body: string) => ({
    from: customer,
    id: `wamid.${uuidv7()}`,
    timestamp: String(sentAt),
    type: 'text',
    text: { body },
  })
  const change = (type: 'edit' | 'revoke', wamid: string, seconds: number, body?: string) => ({
    from: customer,
    id: `wamid.${uuidv7()}`,
    timestamp: String(sentAt + seconds),
    type,
    [type]: {
      original_message_id: wamid,
      ...(body && { message: { type: 'text', text: { body } } }),
    },
  })

  test('a message that was withdrawn before it came is never shown', async () => {
    const message = original('Sent by mistake')
    await bring(change('revoke', message.id, 5))
    await bring(message)
    // A deleted message has lost its wamid.
    const _id = inboundMessageKey(opened.channel.emulator.account.numberId, message.id)
    const find = async () => (await readMessages()).find((one) => one._id === _id)
    await expect.poll(find).toMatchObject({ content: '', deletedAt: expect.any(Number) })
    await bring(message)
    await hear({ content: `a sign ${uuidv7()}` })
    expect(await find()).toMatchObject({ content: '' })
    const told = opened.socket.heard.filter(
      (one) => one.event === 'whatsapp-message-received' && one.data.messageId === _id,
    )
    expect(told).toEqual([])
  })

  test('a message that was edited before it came has its newest text', async () => {
    const message = original('Tea')
    await bring(change('edit', message.id, 9, 'Coffee'))
    await bring(change('edit', message.id, 5, 'Water'))
    await bring(message)
    await expect.poll(() => findByWamid(message.id)).toMatchObject({ content: 'Coffee' })
    await bring(message)
    await hear({ content: `a sign ${uuidv7()}` })
    expect(await findByWamid(message.id)).toMatchObject({ content: 'Coffee' })
  })

  test('P8: nobody withdraws the message of somebody else', async () => {
    const message = original('Mine')
    await bring({ ...change('revoke', message.id, 5), from: '15555550199' })
    await bring(message)
    await expect.poll(() => findByWamid(message.id)).toMatchObject({ content: 'Mine' })
    await hear({ content: `a sign ${uuidv7()}` })
    expect(await findByWamid(message.id)).toMatchObject({ content: 'Mine' })
  })
})

describe('nothing twice', () => {
  test('P2: ten messages at once make one conversation, each is there once, also when they come again', async () => {
    const from = '15555550171'
    const before = opened.channel.emulator.deliveries().length
    const wamids = Array.from({ length: 10 }, (_, index) =>
      opened.channel.emulator.inbound({ from, content: `album ${index}` }),
    )
    await opened.channel.advance(0)
    for (const { id } of opened.channel.emulator.deliveries().slice(before)) {
      opened.channel.emulator.redeliver(id)
    }
    await opened.channel.advance(0)
    const own = async () => (await readMessages()).filter((one) => one.from_phone === from)
    await expect.poll(async () => (await own()).length).toBe(10)
    expect(new Set((await own()).map((one) => one.whatsapp_message_id))).toEqual(new Set(wamids))
    expect(new Set((await own()).map(({ peerId }) => peerId)).size).toBe(1)
    expect(new Set((await own()).map(({ orderedAt }) => orderedAt)).size).toBe(10)
    const [first] = await own()
    const conversations = await opened.channel.as(opened.ann).get('/messages/conversations')
    const shown = conversations.body.filter(({ _id }: { _id: string }) => _id === first?.peerId)
    expect(shown).toMatchObject([{ unreadCount: 10 }])
    const told = () =>
      opened.socket.heard.filter(
        (one) => one.event === 'whatsapp-message-received' && one.data.from_phone === from,
      )
    await expect.poll(told).toHaveLength(10)
  })

  test('what the operator writes in WhatsApp’s own app is shown once, and our own echo is none', async () => {
    const wamid = opened.channel.emulator.echo({
      to: customer,
      type: 'text',
      content: { body: 'From my phone' },
    })
    const own = await say(customer, 'From Petrel')
    opened.channel.emulator.echo({
      to: customer,
      type: 'text',
      content: { body: 'From Petrel' },
      wamid: own.whatsapp_message_id,
    })
    await opened.channel.advance(0)
    await expect
      .poll(() => findByWamid(wamid))
      .toMatchObject({
        senderId: opened.ann.userId,
        sentFrom: 'whatsapp_app',
        content: 'From my phone',
      })
    const same = (await readMessages()).filter(({ content }) => content === 'From Petrel')
    expect(same).toHaveLength(1)
    // It opens no window.
    opened.channel.emulator.echo({
      to: '15555550172',
      type: 'text',
      content: { body: 'Cold call' },
    })
    await opened.channel.advance(0)
    await expect
      .poll(async () => (await readMessages()).some(({ content }) => content === 'Cold call'))
      .toBe(true)
    const refused = await opened.channel
      .as(opened.ann)
      .post('/webhooks/send', { to: '15555550172', message: 'Hi' })
    expect(refused.status).toBe(422)
  })
})

describe('who somebody is', () => {
  test.each([
    ['Brazil', '5511987654321', '551187654321'],
    ['Mexico', '525512345678', '5215512345678'],
    ['Argentina', '5491123456789', '5491123456789'],
  ])('a number of %s is one contact, however it is written', async (_where, typed, waId) => {
    await say(typed, { name: 'hello_world' }, { type: 'template' })
    expect(opened.channel.emulator.outbox().at(-1)?.request).toMatchObject({ to: `+${typed}` })
    const answer = await hear({ from: waId, content: 'Olá' })
    const own = (await readMessages()).filter(({ peerId }) => peerId === answer.peerId)
    expect(own).toHaveLength(2)
    const found = await opened.channel.as(opened.ann).get(`/users/phone/${typed}`)
    expect(found.body).toMatchObject({ _id: answer.peerId, isWhatsAppContact: true })
    const chat = await opened.channel.as(opened.ann).get(`/messages/phone/${waId}`)
    expect(chat.body).toHaveLength(2)
  })

  test('a person without a visible number is shown, and is answered by their id', async () => {
    await opened.channel.emulator.configure({ includeBsuid: true })
    const from = '15555550150'
    const wamid = opened.channel.emulator.inbound({ from, name: 'Sam', content: 'Incognito' })
    await opened.channel.advance(0)
    await expect.poll(() => findByWamid(wamid)).toMatchObject({ senderName: 'Sam' })
    const message = await findByWamid(wamid)
    expect(message).not.toHaveProperty('from_phone')
    const answer = await opened.channel.as(opened.ann).post('/messages', {
      recipientId: message?.peerId,
      content: 'Hello Sam',
      whatsappData: {},
    })
    expect([answer.status, answer.body.error]).toEqual([201, null])
    expect(answer.body).toMatchObject({ status: 'sent', waState: 'accepted', isWhatsApp: true })
    const sent = opened.channel.emulator.outbox().at(-1)?.request
    expect(sent).toMatchObject({ recipient: expect.stringMatching(/^US\./) })
    expect(sent).not.toHaveProperty('to')
  })

  test('whoever changes their number goes on in the same conversation', async () => {
    const from = '15555550173'
    const before = await hear({ from, name: 'Mia', content: 'Old number' })
    const notice = await hear({
      from,
      type: 'system',
      content: {
        body: 'Mia changed to a new number',
        type: 'user_changed_number',
        wa_id: '15555550174',
      },
    })
    expect(notice).toMatchObject({ isSystem: true, peerId: before.peerId })
    const after = await hear({ from: '15555550174', content: 'New number' })
    expect(after.peerId).toBe(before.peerId)
    const conversation = (await readConversations()).find(({ _id }) => _id === before.peerId)
    expect(conversation?.contacts).toMatchObject([
      { profile: { name: 'Mia' }, wa_id: '15555550174' },
    ])
  })

  test.each([
    [
      'tells of a new number',
      '15555550177',
      {
        from: '15555550177',
        type: 'system',
        system: { body: 'They changed', type: 'user_changed_number', wa_id: '15555550178' },
      },
      '15555550178',
    ],
    [
      'writes from a new number',
      '15555550179',
      { from: '15555550168', type: 'text', text: { body: 'It is me' } },
      '15555550168',
    ],
  ])(
    'P8: whoever %s is no longer written to at the number that was typed',
    async (_how, typed, news, to) => {
      const { channel, ann } = opened
      const begun = await channel.as(ann).post('/users/contacts', { phone_number: `+${typed}` })
      const from_user_id = `US.${typed}`
      await bring({ from: typed, from_user_id, type: 'text', text: { body: 'Hello' } })
      await bring({ from_user_id, ...news })
      const contactId = begun.body._id
      const read = async () => (await channel.as(ann).get(`/users/contacts/${contactId}`)).body
      await expect.poll(read).toMatchObject({ wa_id: to, phone_number: to })
      const answer = await channel.as(ann).post('/messages', {
        recipientId: contactId,
        content: 'For them alone',
        whatsappData: {},
      })
      expect([answer.status, answer.body.error]).toEqual([201, null])
      expect(channel.emulator.outbox().at(-1)?.request).toMatchObject({ to: `+${to}` })
    },
  )

  test('a notice of WhatsApp about them opens no window', async () => {
    const { channel, ann } = opened
    const from = '15555550169'
    const begun = await channel.as(ann).post('/users/contacts', { phone_number: `+${from}` })
    const content = { body: 'New phone', type: 'customer_identity_changed' }
    await hear({ from, type: 'system', content })
    const { body } = await channel.as(ann).get(`/users/contacts/${begun.body._id}`)
    expect(body.windowExpiresAt).toBeNull()
  })

  test('reading is told to the customer, once', async () => {
    const from = '15555550175'
    const message = await hear({ from, content: 'Read me' })
    await opened.channel.as(opened.ann).put(`/messages/conversations/${message.peerId}/read`)
    const received = () =>
      opened.channel.emulator.received().find(({ wamid }) => wamid === message.whatsapp_message_id)
    await expect.poll(() => received()?.isRead).toBe(true)
  })

  test('a blocked contact is not heard', async () => {
    const from = '15555550176'
    const { peerId } = await hear({ from, content: 'Before' })
    const blocked = await opened.channel
      .as(opened.ann)
      .put(`/users/${peerId}/block`, { blocked: true })
    expect(blocked.status).toBe(200)
    opened.channel.emulator.inbound({ from, content: 'Hidden' })
    await hear({ content: `a sign ${uuidv7()}` })
    expect((await readMessages()).some(({ content }) => content === 'Hidden')).toBe(false)
    const list = await opened.channel.as(opened.ann).get('/users/blocked')
    expect(list.body).toMatchObject([{ _id: peerId }])
    await opened.channel.as(opened.ann).put(`/users/${peerId}/block`, { blocked: false })
    await expect
      .poll(async () => {
        opened.channel.emulator.inbound({ from, content: 'After' })
        await opened.channel.advance(0)
        return (await readMessages()).some(({ content }) => content === 'After')
      })
      .toBe(true)
  })
})
