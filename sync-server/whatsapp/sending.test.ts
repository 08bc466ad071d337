import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { MessageDocument } from '../../schema/message.ts'
import { openTestSocket, type TestSocket } from '../testing/open-test-socket.ts'
import type { TestPerson } from '../testing/start-test-app.ts'
import { startTestChannel, type TestChannel } from '../testing/start-test-channel.ts'

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
const findMessage = async (id: string) => (await readMessages()).find(({ _id }) => _id === id)

/** A scripted customer of the emulator who has just written: free messages are allowed. */
async function hearFrom(phone: string) {
  const { channel } = opened
  const text = `Hello from ${phone} ${uuidv7()}`
  const wamid = channel.emulator.inbound({ from: phone, content: text })
  await channel.advance(0)
  const found = async () => (await readMessages()).find((one) => one.content === text)
  await expect.poll(found).toBeDefined()
  return { wamid, contactId: (await found())?.senderId ?? '' }
}

const send = (to: string, message: unknown = 'Hi', more: Record<string, unknown> = {}) =>
  opened.channel.as(opened.ann).post('/webhooks/send', { to, message, ...more })
const sentTo = (phone: string) =>
  opened.channel.emulator.outbox().filter(({ to }) => to === `+${phone}`)
/** The status events that devices received for a message. */
const toldOf = (id: string) =>
  opened.socket.heard.flatMap((one) =>
    one.event === 'whatsapp-status-update' && one.data.messageId === id ? [one.data.status] : [],
  )

describe('POST /webhooks/send', () => {
  test('sends a text, always with a plus, and the same id once', async () => {
    await hearFrom('15555550102')
    const clientMessageId = uuidv7()
    const answer = await send('1 (555) 555-0102', 'Hi', { clientMessageId })
    expect([answer.status, answer.body]).toEqual([
      201,
      expect.objectContaining({
        success: true,
        messageId: clientMessageId,
        status: 'sent',
        queued: false,
        wa_id: '15555550102',
        type: 'text',
        whatsapp_message_id: expect.stringMatching(/^wamid\./),
      }),
    ])
    const again = await send('15555550102', 'Hi', { clientMessageId })
    expect([again.status, again.body.messageId]).toEqual([200, clientMessageId])
    expect(sentTo('15555550102')).toHaveLength(1)
    expect(sentTo('15555550102')[0]?.request).toMatchObject({ to: '+15555550102' })
    const byWamid = await opened.channel
      .as(opened.ann)
      .get(`/webhooks/message-status/${encodeURIComponent(answer.body.whatsapp_message_id)}`)
    expect(byWamid.body).toMatchObject({ messageId: clientMessageId, status: 'sent' })
  })

  test.each([
    [
      'buttons',
      'interactive',
      {
        type: 'button',
        body: { text: 'Pick one' },
        action: { buttons: [{ title: 'Yes' }, { title: 'No' }] },
      },
      { type: 'interactive', content: 'Pick one' },
    ],
    [
      'a list',
      'interactive',
      {
        type: 'list',
        body: { text: 'Pick a row' },
        action: { button: 'Open', sections: [{ rows: [{ id: 'r1', title: 'One' }] }] },
      },
      { type: 'interactive', content: 'Pick a row' },
    ],
    [
      'an image',
      'image',
      { link: 'https://example.org/a.jpg', caption: 'Look' },
      { type: 'image', content: 'Look', media: { link: 'https://example.org/a.jpg' } },
    ],
    [
      'a document',
      'document',
      { link: 'https://example.org/a.pdf', filename: 'a.pdf' },
      { type: 'document', media: { filename: 'a.pdf' } },
    ],
    [
      'a place',
      'location',
      { latitude: 52.5, longitude: 13.4, name: 'Berlin' },
      { content: 'Berlin', location: { latitude: 52.5 } },
    ],
    [
      'contacts',
      'contacts',
      [{ name: { formatted_name: 'Ben', first_name: 'Ben' } }],
      { content: 'Ben' },
    ],
  ])('sends %s', async (_what, type, message, expected) => {
    await hearFrom('15555550102')
    const answer = await send('15555550102', message, { type })
    expect([answer.status, answer.body.error]).toEqual([201, undefined])
    expect(await findMessage(answer.body.messageId)).toMatchObject({
      ...expected,
      waState: 'accepted',
      isWhatsApp: true,
    })
    expect(sentTo('15555550102').at(-1)).toMatchObject({ type })
  })

  test('sends a template to somebody who never wrote, and keeps what it says', async () => {
    const message = {
      name: 'order_confirmation',
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'A-1' },
            { type: 'text', text: '$10' },
          ],
        },
      ],
    }
    const answer = await send('15555550160', message, { type: 'template' })
    expect([answer.status, answer.body.error]).toEqual([201, undefined])
    expect(answer.body).toMatchObject({ to: '15555550160', wa_id: '15555550160' })
    const stored = await findMessage(answer.body.messageId)
    expect(stored).toMatchObject({ type: 'template', template: { name: 'order_confirmation' } })
    expect(stored?.content).toMatch(/A-1.*\$10/)
    const list = await opened.channel.as(opened.ann).get('/webhooks/templates')
    expect(list.body.map(({ name }: { name: string }) => name)).toContain('order_confirmation')
  })

  test('offers a template that WhatsApp warns about, and none that it has paused', async () => {
    const { channel, ann } = opened
    const list = async (): Promise<string[]> =>
      (await channel.as(ann).get('/webhooks/templates')).body.map(
        ({ name, language }: { name: string; language: string }) => `${name} ${language}`,
      )
    const tell = (name: string, event: string) =>
      channel.emulator.templateStatus({ name, language: 'en', event })
    expect(await list()).toContain('order_confirmation en')
    tell('order_confirmation', 'FLAGGED')
    await channel.advance(0)
    tell('message_from_us', 'PAUSED')
    await channel.advance(0)
    await expect.poll(list).not.toContain('message_from_us en')
    expect(await list()).toContain('order_confirmation en')
    tell('message_from_us', 'REINSTATED')
    await channel.advance(0)
    await expect.poll(list).toContain('message_from_us en')
  })

  test('refuses what WhatsApp is known to refuse, before anything is stored or sent', async () => {
    const before = (await readMessages()).length
    for (const [type, message, words] of [
      ['text', '', /1 to 4096 characters/],
      ['text', 'x'.repeat(4_097), /1 to 4096 characters/],
      ['image', { link: 'http://example.org/a.jpg' }, /https/],
      ['poll', {}, /kind cannot be sent/],
    ] as const) {
      const answer = await send('15555550102', message, { type })
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(words)])
    }
    expect((await send('12345')).body.error).toMatch(/Invalid phone number format/)
    expect((await readMessages()).length).toBe(before)
  })

  test('P8: is for people who have linked an account', async () => {
    const ben = await opened.channel.register('Ben')
    const answer = await opened.channel
      .as(ben)
      .post('/webhooks/send', { to: '15555550102', message: 'Hi' })
    expect([answer.status, answer.body.code]).toEqual([403, 'whatsapp_not_linked'])
  })
})

describe('how far a message comes', () => {
  test.each([
    ['15555550100', 'read', ['sent', 'delivered', 'read']],
    ['15555550101', 'delivered', ['sent', 'delivered']],
    ['15555550103', 'read', ['sent', 'read']],
    ['15555550104', 'read', ['sent', 'read']],
    ['15555550105', 'read', ['sent', 'delivered', 'read']],
    ['15555550106', 'read', ['sent', 'delivered', 'read']],
    ['15555550107', 'read', ['sent', 'delivered', 'read']],
    ['15555550108', 'read', ['sent', 'delivered', 'read']],
    ['15555550109', 'read', ['sent', 'delivered', 'read']],
  ])('P5: to %s ends as %s, told once and never backwards', async (phone, status, told) => {
    await hearFrom(phone)
    const { body } = await send(phone)
    await opened.channel.advance(60_000)
    await expect
      .poll(async () => (await findMessage(body.messageId))?.status, { message: phone })
      .toBe(status)
    // What is told comes over another line than what is read, and may come after it.
    await expect.poll(() => toldOf(body.messageId)).toEqual(told)
    const history = await opened.channel
      .as(opened.ann)
      .get(`/messages/${body.messageId}/status-history`)
    expect(history.body.status).toBe(status)
    await expect.poll(opened.channel.countUnprocessed).toBe(0)
    expect(toldOf(body.messageId)).toEqual(told)
    expect(sentTo(phone)).toHaveLength(1)
  })

  test.each([
    ['15555550110', 'whatsapp_131026', 'This number cannot receive WhatsApp messages'],
    ['15555550111', 'whatsapp_window_closed', expect.stringMatching(/24 hours/)],
    ['15555550113', 'whatsapp_131049', expect.any(String)],
  ])('P6: to %s fails later with its reason, and the words stay', async (phone, code, words) => {
    await hearFrom(phone)
    const { body } = await send(phone, 'My words')
    await opened.channel.advance(60_000)
    await expect
      .poll(() => findMessage(body.messageId))
      .toMatchObject({
        status: 'failed',
        errorCode: code,
        error: words,
        content: 'My words',
      })
    expect(sentTo(phone)).toHaveLength(1)
  })

  test.each([130429, 131056, 131057])(
    'P6: what failed for %i promises no further try',
    async (code) => {
      await hearFrom('15555550167')
      const rule = { match: { text: `Limit ${code}` }, times: 1, respond: { asyncError: code } }
      opened.channel.emulator.addRule(rule)
      const { body } = await send('15555550167', `Limit ${code}`)
      await opened.channel.advance(60_000)
      await expect
        .poll(() => findMessage(body.messageId))
        .toMatchObject({ status: 'failed', error: expect.stringMatching(/Try again in/) })
    },
  )

  test('29: what arrives after it failed is healed, and its error goes', async () => {
    await hearFrom('15555550129')
    const { body } = await send('15555550129')
    await opened.channel.advance(60_000)
    await expect.poll(() => findMessage(body.messageId)).toMatchObject({ status: 'delivered' })
    const stored = await findMessage(body.messageId)
    expect(stored).not.toHaveProperty('error')
    expect(stored?.statusHistory.map(({ status }) => status)).toContain('failed')
  })
})

test('GET /webhooks/stats counts each status once, also `sent`, which the answer to the send said before', async () => {
  const channel = await startTestChannel()
  onTestFinished(() => channel.close())
  const person = await channel.register('Ann')
  await channel.link(person)
  const ann = channel.as(person)
  const readStats = async () => (await ann.get('/webhooks/stats')).body
  expect((await readStats()).statuses).toEqual({ sent: 0, delivered: 0, read: 0, failed: 0 })
  // In order; each webhook twice; `sent` before the answer; all of them again; `sent` as the last; to a dead number.
  const phones = ['00', '05', '07', '09', '04', '10'].map((end) => `155555501${end}`)
  for (const phone of phones) channel.emulator.inbound({ from: phone, content: 'Hello' })
  await channel.advance(0)
  await expect.poll(async () => (await readStats()).messages.inbound).toBe(phones.length)
  for (const to of phones) {
    expect((await ann.post('/webhooks/send', { to, message: 'Hi' })).status).toBe(201)
  }
  await channel.advance(60_000)
  const counted = { sent: 5, delivered: 4, read: 5, failed: 1 }
  await expect.poll(async () => (await readStats()).statuses).toEqual(counted)
  await expect.poll(async () => (await readStats()).pending).toBe(0)
  expect(await readStats()).toMatchObject({
    messages: { inbound: phones.length, outbound: phones.length },
    statuses: counted,
  })
})

describe('P6: a send that WhatsApp refuses at once', () => {
  test.each([
    ['15555550126', 422, 'whatsapp_refused', /may not write to this person/],
    ['15555550112', 422, 'whatsapp_refused', /24 hours/],
  ])(
    'to %s answers %i in words, names the message, and it stands as failed',
    async (phone, status, code, words) => {
      await hearFrom(phone)
      const answer = await send(phone, 'My words')
      expect([answer.status, answer.body]).toEqual([
        status,
        expect.objectContaining({ code, error: expect.stringMatching(words) }),
      ])
      expect(await findMessage(answer.body.messageId)).toMatchObject({
        status: 'failed',
        content: 'My words',
        error: expect.stringMatching(words),
      })
    },
  )

  test('is sent again by a new attempt, once', async () => {
    const { contactId } = await hearFrom('15555550161')
    const rule = { match: { to: '15555550161' }, times: 1, respond: { error: { code: 131009 } } }
    opened.channel.emulator.addRule(rule)
    const { body } = await send('15555550161', 'Try me')
    const failed = await findMessage(body.messageId)
    expect(failed).toMatchObject({ status: 'failed', attempt: 1 })
    const again = { ...failed, status: 'sending', attempt: 2, peerId: contactId }
    expect(await opened.channel.push(opened.ann, again)).toMatchObject({ ok: true })
    await expect
      .poll(() => findMessage(body.messageId))
      .toMatchObject({
        status: 'sent',
        waState: 'accepted',
        attempt: 2,
      })
    expect(await findMessage(body.messageId)).not.toHaveProperty('error')
    expect(sentTo('15555550161')).toHaveLength(1)
  })
})

describe('P2: never twice', () => {
  test('30: what was taken and never answered is not sent again; its status settles it', async () => {
    await hearFrom('15555550130')
    const id = uuidv7()
    const sending = send('15555550130', 'Silence', { clientMessageId: id })
    await expect.poll(() => sentTo('15555550130').length).toBe(1)
    await opened.channel.advance(60_000)
    await expect
      .poll(() => findMessage(id))
      .toMatchObject({
        status: 'read',
        whatsapp_message_id: expect.stringMatching(/^wamid\./),
      })
    expect((await sending).status).toBe(201)
    expect(sentTo('15555550130')).toHaveLength(1)
  })

  test('17: a fault that passes is tried again by itself, and the answer says that it waits', async () => {
    await hearFrom('15555550117')
    const answer = await send('15555550117', 'Later')
    expect(answer.status).toBe(201)
    await opened.channel.advance(30_000)
    await expect
      .poll(() => findMessage(answer.body.messageId))
      .toMatchObject({
        waState: 'accepted',
      })
    expect(sentTo('15555550117')).toHaveLength(1)
  })

  test('what was queued leaves after a kill, once, in its order', async () => {
    const { contactId } = await hearFrom('15555550119')
    // The first try was refused for now, and waits: a kill during a call makes the outcome unknown.
    const first = await send('15555550119', 'first')
    expect(first.body).toMatchObject({ queued: true, status: 'sent' })
    const ids: string[] = []
    for (const content of ['second', 'third']) {
      const _id = uuidv7()
      ids.push(_id)
      await opened.channel.push(opened.ann, {
        _id,
        peerId: contactId,
        senderId: opened.ann.userId,
        recipientId: contactId,
        content,
        type: 'text',
        status: 'sending',
        createdAt: Date.now(),
        orderedAt: Date.now(),
      })
    }
    await opened.channel.killAndStart()
    const waiting = async () => {
      await opened.channel.advance(2_000)
      return sentTo('15555550119').map(({ request }) => (request.text as { body: string }).body)
    }
    await expect.poll(waiting).toEqual(['first', 'second', 'third'])
    await expect.poll(() => findMessage(ids[1] ?? '')).toMatchObject({ waState: 'accepted' })
  })
})

describe('the window of 24 hours', () => {
  test('is closed for who never wrote: nothing leaves, the words stay, a template passes', async () => {
    const answer = await send('15555550162', 'Are you there?')
    expect([answer.status, answer.body.error]).toEqual([422, expect.stringMatching(/24 hours/)])
    expect(sentTo('15555550162')).toHaveLength(0)
    expect(await findMessage(answer.body.messageId)).toMatchObject({
      status: 'failed',
      errorCode: 'whatsapp_window_closed',
      content: 'Are you there?',
    })
    const template = { name: 'hello_world' }
    expect((await send('15555550162', template, { type: 'template' })).status).toBe(201)
    const { contactId } = await hearFrom('15555550162')
    const contact = await opened.channel.as(opened.ann).get(`/users/contacts/${contactId}`)
    expect(Date.parse(contact.body.windowExpiresAt)).toBeGreaterThan(opened.channel.emulator.now())
    expect((await send('15555550162', 'Good')).status).toBe(201)
    await opened.channel.advance(25 * 3_600_000)
    expect((await send('15555550162', 'Still there?')).status).toBe(422)
    // A late message does not close a window that a later one opened.
    await hearFrom('15555550162')
    const timestamp = Math.floor(opened.channel.emulator.now() / 1_000) - 30 * 3_600
    opened.channel.emulator.inbound({ from: '15555550162', content: 'late one', timestamp })
    await opened.channel.advance(0)
    await expect
      .poll(async () => (await readMessages()).some(({ content }) => content === 'late one'))
      .toBe(true)
    expect((await send('15555550162', 'Fine')).status).toBe(201)
  })
})

describe('changing what was sent over WhatsApp', () => {
  test('an edit and a status are refused, a deletion takes it away here', async () => {
    await hearFrom('15555550102')
    const { body } = await send('15555550102', 'Cannot be changed')
    const as = opened.channel.as(opened.ann)
    const edited = await as.put(`/messages/${body.messageId}`, { content: 'Changed' })
    expect([edited.status, edited.body.error]).toEqual([409, 'WhatsApp messages cannot be edited'])
    const status = await as.put(`/messages/${body.messageId}/status`, { status: 'read' })
    expect(status.status).toBe(409)
    expect((await as.remove(`/messages/${body.messageId}`)).status).toBe(200)
    expect(await findMessage(body.messageId)).toMatchObject({ content: '', isWhatsApp: true })
    await opened.channel.advance(1_000)
    expect(await findMessage(body.messageId)).toMatchObject({ content: '' })
  })

  test('what was deleted before its turn came does not leave', async () => {
    const { contactId } = await hearFrom('15555550163')
    const rule = { match: { to: '15555550163' }, times: 1, respond: { error: { code: 131056 } } }
    opened.channel.emulator.addRule(rule)
    const { body } = await send('15555550163', 'On second thought')
    expect(body).toMatchObject({ queued: true, status: 'sent' })
    await opened.channel.as(opened.ann).remove(`/messages/${body.messageId}`)
    const _id = uuidv7()
    await opened.channel.push(opened.ann, {
      _id,
      peerId: contactId,
      senderId: opened.ann.userId,
      recipientId: contactId,
      content: 'The next one',
      type: 'text',
      status: 'sending',
      createdAt: Date.now(),
      orderedAt: Date.now(),
    })
    const texts = async () => {
      await opened.channel.advance(2_000)
      return sentTo('15555550163').map(({ request }) => (request.text as { body: string }).body)
    }
    await expect.poll(texts).toEqual(['The next one'])
  })
})
