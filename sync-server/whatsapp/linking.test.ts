import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { openTestSocket } from '../testing/open-test-socket.ts'
import type { TestPerson } from '../testing/start-test-app.ts'
import { startTestChannel, type TestChannel } from '../testing/start-test-channel.ts'

const opened = {} as { channel: TestChannel; ann: TestPerson; ben: TestPerson }
beforeAll(async () => {
  opened.channel = await startTestChannel()
  opened.ann = await opened.channel.register('Ann')
  opened.ben = await opened.channel.register('Ben')
})
afterAll(() => opened.channel.close())

const as = (person: TestPerson) => opened.channel.as(person)
const number = () => ({
  phone_number: '15550783881',
  phone_number_id: opened.channel.emulator.account.numberId,
})
/** Starts the server again with these as WHATSAPP_OPERATORS. */
async function permit(people: readonly TestPerson[] | undefined) {
  const operatorIds = people?.map(({ userId }) => userId)
  Object.assign(must(opened.channel.app.settings.whatsApp, 'a channel'), { operatorIds })
  await opened.channel.restart()
}
const hear = async (options: { from?: string; content: string; phone_number_id?: string }) => {
  opened.channel.emulator.inbound({ from: '15555550180', ...options })
  await opened.channel.advance(0)
  // Whose it is is decided then, and the next step links somebody else.
  await expect.poll(opened.channel.countUnprocessed).toBe(0)
}
const contents = async (person: TestPerson): Promise<string[]> =>
  (await opened.channel.read(person, 'messages')).map((one: MessageDocument) => one.content)

describe('POST /users/link-whatsapp with a Phone Number ID', () => {
  test('is refused when WhatsApp says that it is another number’s, and nothing is stored', async () => {
    for (const more of [
      { wa_id: '15555559999', phone_number: '15555559999' },
      { phone_number_id: '999999999999999' },
    ]) {
      const answer = await opened.channel.link(opened.ann, more)
      expect([answer.status, answer.body]).toEqual([
        422,
        {
          error: 'Phone Number ID does not match the phone number',
          code: 'number_mismatch',
        },
      ])
    }
    expect((await as(opened.ann).get('/users/me')).body).toMatchObject({
      whatsapp_connected: false,
      whatsapp_channel: 'sandbox',
    })
  })

  test('P8: a number has one operator, who keeps what was said; the next one gets the rest, and only somebody that the settings name', async () => {
    expect((await opened.channel.link(opened.ann)).status).toBe(200)
    const taken = await opened.channel.link(opened.ben, {
      wa_id: '15550783899',
    })
    expect([taken.status, taken.body.code]).toEqual([409, expect.stringMatching(/taken$/)])
    await hear({ content: 'For Ann' })
    await expect.poll(() => contents(opened.ann)).toEqual(['For Ann'])
    const unlinked = await as(opened.ann).post('/users/unlink-whatsapp')
    expect(unlinked.body).toMatchObject({ phone_number_id: null, whatsapp_connected: false })
    expect(await contents(opened.ann)).toEqual(['For Ann'])
    const refused = await as(opened.ann).post('/webhooks/send', {
      to: '15555550180',
      message: 'Hi',
    })
    expect([refused.status, refused.body.code]).toEqual([403, 'whatsapp_not_linked'])

    // Ben knows the Phone Number ID, as many do. The next customers' messages are not his for that.
    for (const ask of [
      () => opened.channel.link(opened.ben),
      () => as(opened.ben).put('/users/profile', { ...number(), wa_id: '15550783899' }),
    ]) {
      const answer = await ask()
      expect([answer.status, answer.body]).toEqual([
        403,
        { error: expect.stringContaining('Ask whoever runs'), code: 'number_not_permitted' },
      ])
    }
    await hear({ content: 'For nobody' })
    expect((await opened.channel.link(opened.ann)).status).toBe(200)
    await as(opened.ann).post('/users/unlink-whatsapp')

    await permit([opened.ben])
    expect((await opened.channel.link(opened.ben)).status).toBe(200)
    await hear({ content: 'For Ben' })
    await expect.poll(() => contents(opened.ben)).toEqual(['For Ben'])
    expect(await contents(opened.ann)).toEqual(['For Ann'])
    // Only those that are named may use the channel, and a name that goes takes it away.
    const unnamed = await opened.channel.link(opened.ann)
    expect([unnamed.status, unnamed.body.code]).toEqual([403, 'number_not_permitted'])
    await permit([opened.ann])
    await hear({ content: 'Not for Ben any more' })
    const sent = await as(opened.ben).post('/webhooks/send', { to: '15555550180', message: 'Hi' })
    expect([sent.status, sent.body.code]).toEqual([403, 'whatsapp_not_linked'])
    await as(opened.ben).post('/users/unlink-whatsapp')
    expect(await contents(opened.ben)).toEqual(['For Ben'])
    await permit(undefined)
  })

  test('P8: a number whose operator has left is nobody’s, until the settings name somebody', async () => {
    const cyd = await opened.channel.register('Cyd')
    await permit([cyd])
    expect((await opened.channel.link(cyd)).status).toBe(200)
    await permit(undefined)
    expect((await opened.channel.app.leave(cyd)).status).toBe(200)
    const refused = await opened.channel.link(opened.ben)
    expect([refused.status, refused.body.code]).toEqual([403, 'number_not_permitted'])
    await permit([opened.ann, opened.ben])
  })

  test('says to others whether a phone number is proved', async () => {
    await as(opened.ben).put('/users/profile', { phone_number: '15550783881' })
    const show = async (person: TestPerson) =>
      (await as(opened.ann).get(`/users/${person.userId}`)).body
    expect(await show(opened.ben)).toMatchObject({ isPhoneProved: false })
    expect((await opened.channel.link(opened.ann)).status).toBe(200)
    expect(await show(opened.ann)).toMatchObject({ isPhoneProved: true })
    expect(await show(opened.ben)).toHaveProperty('phone_number', null)
    await as(opened.ann).post('/users/unlink-whatsapp')
  })

  test('P8: saying that a customer’s number is one’s own brings nobody their messages', async () => {
    await opened.channel.link(opened.ann)
    await as(opened.ben).post('/users/link-whatsapp', {
      wa_id: '15555550180',
      phone_number: '15555550180',
    })
    await hear({ content: 'Only for Ann' })
    await expect.poll(() => contents(opened.ann)).toContain('Only for Ann')
    expect(await contents(opened.ben)).not.toContain('Only for Ann')
    await as(opened.ben).post('/users/unlink-whatsapp')
    await as(opened.ann).post('/users/unlink-whatsapp')
  })
})

describe('PUT /users/profile', () => {
  test('links by the same check, and null takes the link away', async () => {
    const number = { wa_id: '15550783881', phone_number: '15550783881' }
    const wrong = await as(opened.ann).put('/users/profile', {
      ...number,
      phone_number_id: '999999999999999',
    })
    expect([wrong.status, wrong.body.code]).toEqual([422, 'number_mismatch'])
    const { numberId } = opened.channel.emulator.account
    const linked = await as(opened.ann).put('/users/profile', {
      ...number,
      phone_number_id: numberId,
    })
    expect([linked.status, linked.body]).toEqual([
      200,
      expect.objectContaining({
        phone_number_id: numberId,
        profile: expect.objectContaining({ quality_rating: expect.any(String) }),
      }),
    ])
    // Nobody checked another phone number against the id.
    const changed = await as(opened.ann).put('/users/profile', { phone_number: '15550783882' })
    expect(changed.body).toHaveProperty('phone_number_id', null)
    const nothing = { wa_id: null, phone_number: null, phone_number_id: null, whatsapp_name: null }
    const cleared = await as(opened.ann).put('/users/profile', nothing)
    expect(cleared.body).toMatchObject({ whatsapp_connected: false })
  })
})

describe('POST /users/contacts', () => {
  test('begins a conversation by a number, once, on each of the operator’s devices', async () => {
    const { channel, ann } = opened
    const refused = await as(ann).post('/users/contacts', { phone_number: '+1 555 555 0184' })
    expect([refused.status, refused.body.code]).toEqual([403, 'whatsapp_not_linked'])
    await channel.link(ann)
    expect((await as(ann).get('/users/me/whatsapp')).body).toEqual({
      isOn: true,
      isSandbox: true,
      isWindowEnforced: true,
      phone_number_id: '106540352242922',
      display_phone_number: '15550783881',
    })
    const begun = await as(ann).post('/users/contacts', { phone_number: '+1 555 555 0184' })
    expect([begun.status, begun.body]).toEqual([
      201,
      expect.objectContaining({
        username: '+15555550184',
        phone_number: '15555550184',
        windowExpiresAt: null,
        isWhatsAppContact: true,
        conversationId: 'wa:106540352242922:15555550184',
      }),
    ])
    const again = await as(ann).post('/users/contacts', { phone_number: '15555550184' })
    expect([again.status, again.body._id]).toEqual([200, begun.body._id])
    const conversations = await channel.read(ann, 'conversations')
    expect(conversations.find(({ _id }: { _id: string }) => _id === begun.body._id)).toMatchObject({
      phone_number_id: '106540352242922',
    })
    const listed = await as(ann).get('/users')
    expect(listed.body.map(({ _id }: { _id: string }) => _id)).toContain(begun.body._id)
    const found = await as(ann).get('/users/search/phone/5550184')
    expect(found.body).toMatchObject([{ _id: begun.body._id }])

    const socket = await openTestSocket({ url: channel.app.url, token: ann.token })
    for (const event of ['subscribe-whatsapp-contact', 'unsubscribe-whatsapp-contact']) {
      const before = socket.count('whatsapp-contact')
      socket.say(event, { phoneNumber: '+1 (555) 555-0184' })
      await expect.poll(() => socket.count('whatsapp-contact')).toBe(before + 1)
      expect(socket.last('whatsapp-contact')).toMatchObject({ contactId: begun.body._id })
    }
    socket.say('leave-whatsapp-conversation', { conversationId: 'wa:1:2' })
    await expect.poll(() => socket.last('whatsapp-contact')).toMatchObject({ contactId: null })
    socket.socket.close()
    await as(ann).post('/users/unlink-whatsapp')
  })
})

describe('a number that nobody works', () => {
  test('what somebody answers goes to who wrote last; what nobody awaits is kept as unrouted', async () => {
    await hear({ content: 'Anybody?', from: '15555550181' })
    const before = await contents(opened.ben)
    await as(opened.ben).post('/users/link-whatsapp', {
      wa_id: '15550009999',
      phone_number: '15550009999',
    })
    const sent = await as(opened.ben).post('/webhooks/send', {
      to: '15555550182',
      type: 'template',
      message: { name: 'hello_world' },
    })
    expect([sent.status, sent.body.error]).toEqual([201, undefined])
    await hear({ content: 'Hello Ben', from: '15555550182' })
    await expect.poll(() => contents(opened.ben)).toContain('Hello Ben')
    expect(await contents(opened.ben)).not.toContain('Anybody?')
    expect(before).not.toContain('Anybody?')
    await as(opened.ben).post('/users/unlink-whatsapp')
  })
})

describe('P8: of another operator’s customers nobody learns anything', () => {
  test('not by calls, not by the socket, not by reprocessing', async () => {
    const { channel, ann, ben } = opened
    await channel.link(ann)
    await channel.link(ben, {
      wa_id: '15550783890',
      phone_number: '15550783890',
      phone_number_id: undefined,
    })
    const annHears = await openTestSocket({ url: channel.app.url, token: ann.token })
    const benHears = await openTestSocket({ url: channel.app.url, token: ben.token })
    await Promise.all([annHears.untilGreeted(), benHears.untilGreeted()])
    const from = '15555550183'
    await hear({ content: 'Secret', from })
    await expect
      .poll(() => annHears.last('whatsapp-webhook-processed'))
      .toMatchObject({
        status: 'processed',
        messages: 1,
        messageIds: [expect.any(String)],
      })
    const { eventId, messageIds } = annHears.last('whatsapp-webhook-processed') as {
      eventId: string
      messageIds: string[]
    }
    const [messageId] = messageIds
    const own = await as(ann).get(`/webhooks/status/${eventId}`)
    expect(own.body).toMatchObject({
      status: 'processed',
      items: [{ outcome: 'created', messageId }],
    })
    const { whatsapp_message_id: wamid } = own.body.items[0]
    for (const id of [messageId, encodeURIComponent(wamid)]) {
      expect((await as(ann).get(`/webhooks/status/${id}`)).body).toMatchObject({
        id: eventId,
        items: [{ whatsapp_message_id: wamid, messageId }],
      })
      expect((await as(ben).get(`/webhooks/status/${id}`)).status).toBe(404)
      expect((await as(ben).post(`/webhooks/reprocess/${id}`)).status).toBe(404)
    }
    const stats = await as(ann).get('/webhooks/stats')
    expect(stats.body).toMatchObject({ phone_number_id: '106540352242922', failed: 0 })
    expect(stats.body.messages.inbound).toBeGreaterThan(0)
    const again = await as(ann).post(`/webhooks/reprocess/${eventId}`)
    expect([again.status, again.body.status]).toEqual([202, 'processing'])

    const contactId = (await channel.read(ann, 'messages')).find(
      ({ _id }: MessageDocument) => _id === messageId,
    ).senderId
    for (const path of [
      `/users/${contactId}`,
      `/users/contacts/${contactId}`,
      `/users/phone/${from}`,
      `/messages/${contactId}`,
      `/messages/${messageId}/status`,
      `/webhooks/status/${eventId}`,
      `/webhooks/message-status/${messageId}`,
    ]) {
      expect([path, (await as(ben).get(path)).status]).toEqual([path, 404])
    }
    expect((await as(ben).get(`/messages/phone/${from}`)).body).toEqual([])
    expect((await as(ben).get(`/users/search/phone/${from}`)).body).toEqual([])
    expect((await as(ben).post(`/webhooks/reprocess/${eventId}`)).status).toBe(404)
    const sent = await as(ben).post('/messages', { recipientId: contactId, content: 'Hi' })
    expect([sent.status, sent.body.code]).toEqual([404, 'unknown_person'])
    // Nobody may write over a number with another operator, who would get the replies.
    const template = { to: '15555550185', type: 'template', message: { name: 'hello_world' } }
    const foreign = await as(ben).post('/webhooks/send', template)
    expect([foreign.status, foreign.body.error]).toEqual([
      403,
      expect.stringMatching(/somebody else works this business number/),
    ])
    expect(channel.emulator.outbox().some(({ to }) => to === '+15555550185')).toBe(false)
    const conversationId = `wa:106540352242922:${from}`
    benHears.say('join-whatsapp-conversation', { conversationId })
    await expect.poll(() => benHears.last('whatsapp-contact')).toMatchObject({ contactId: null })
    annHears.say('join-whatsapp-conversation', { conversationId })
    await expect
      .poll(() => annHears.last('whatsapp-contact'))
      .toMatchObject({
        contactId,
        conversationId,
        windowExpiresAt: expect.any(String),
      })
    expect(benHears.heard.filter(({ event }) => event.startsWith('whatsapp-m'))).toEqual([])
    annHears.say('send-whatsapp-message', { phoneNumber: from, message: 'By socket' })
    await expect
      .poll(() => annHears.last('whatsapp-status-update'))
      .toMatchObject({ status: expect.stringMatching(/sent|delivered|read/) })
    expect(await contents(ann)).toContain('By socket')
    benHears.say('send-whatsapp-message', { phoneNumber: '123', message: 'Bad number' })
    await expect
      .poll(() => benHears.last('whatsapp-status-update'))
      .toMatchObject({
        status: 'failed',
        error: expect.stringMatching(/Invalid phone number/),
      })
    annHears.socket.close()
    benHears.socket.close()
  })
})
