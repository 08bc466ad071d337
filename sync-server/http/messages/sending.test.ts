import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestChat, type TestChat } from '../../testing/open-test-chat.ts'
import type { TestPerson } from '../../testing/start-test-app.ts'

const opened = {} as { chat: TestChat; ann: TestPerson; ben: TestPerson; cyd: TestPerson }
beforeAll(async () => {
  opened.chat = await openTestChat()
  opened.ann = await opened.chat.register('Ann')
  opened.ben = await opened.chat.register('Ben')
  opened.cyd = await opened.chat.register('Cyd')
})
afterAll(() => opened.chat.close())

const as = (person: TestPerson) => opened.chat.as(person)
const say = (content: string, rest = {}) => opened.chat.say(opened.ann, opened.ben, content, rest)

describe('POST /messages', () => {
  it('answers 201 with the message, people and ISO times in it', async () => {
    const first = await say('first')
    const answer = await as(opened.ann).post('/messages', {
      recipientId: opened.ben.userId,
      content: 'hello',
      type: 'text',
      replyToMessageId: first,
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      _id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sender: { _id: opened.ann.userId, username: 'Ann', profilePicture: null },
      recipient: { _id: opened.ben.userId, username: 'Ben' },
      content: 'hello',
      type: 'text',
      status: 'sent',
      isStarred: false,
      replyTo: first,
    })
    expect(new Date(answer.body.createdAt).toISOString()).toBe(answer.body.createdAt)
    const arrived = await as(opened.ben).get(`/messages/${opened.ann.userId}`)
    expect(arrived.body.at(-1)).toMatchObject({ _id: answer.body._id, status: 'delivered' })
  })

  it('P2: is the same message under the same id, however often', async () => {
    const _id = uuidv7()
    const body = { _id, recipientId: opened.ben.userId, content: 'once' }
    const answers = await Promise.all([1, 2, 3].map(() => as(opened.ann).post('/messages', body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201])
    const later = await as(opened.ann).post('/messages', { ...body, content: 'changed' })
    expect([later.status, later.body._id, later.body.content]).toEqual([200, _id, 'once'])
    const { body: list } = await as(opened.ben).get(`/messages/${opened.ann.userId}`)
    expect(list.filter((message: { _id: string }) => message._id === _id)).toHaveLength(1)
  })

  it('P2: takes the header Idempotency-Key as the id', async () => {
    const key = uuidv7()
    const body = { recipientId: opened.ben.userId, content: 'keyed' }
    const post = (rest = {}) =>
      as(opened.ann).post(
        '/messages',
        { ...body, ...rest },
        { 'Idempotency-Key': key.toUpperCase() },
      )
    expect([(await post()).status, (await post()).status]).toEqual([201, 200])
    expect((await post()).body._id).toBe(key)
    expect((await post({ _id: uuidv7() })).status).toBe(400)
    const bad = await as(opened.ann).post('/messages', body, { 'Idempotency-Key': 'again' })
    expect([bad.status, bad.body.error]).toEqual([400, 'Idempotency-Key must be a UUID'])
  })

  it.each([
    ['no recipient', { content: 'x' }, 400, 'Missing required message data'],
    ['no content', { recipientId: 'ben' }, 400, 'Missing required message data'],
    ['empty content', { recipientId: 'ben', content: '' }, 400, 'Missing required message data'],
    ['no body', undefined, 400, 'Missing required message data'],
    [
      'an operator',
      { recipientId: { $ne: '' }, content: 'x' },
      400,
      'Missing required message data',
    ],
    [
      'space only',
      { recipientId: 'ben', content: ' \n ' },
      400,
      /^You can't send an empty message/,
    ],
    ['too much', { recipientId: 'ben', content: 'x'.repeat(65_537) }, 400, /longer than 65,536/],
    ['an unknown type', { recipientId: 'ben', content: 'x', type: 'spell' }, 400, /not a type/],
    [
      'a template',
      { recipientId: 'ben', content: 'x', type: 'template' },
      400,
      /can't be sent here/,
    ],
    ['oneself', { recipientId: 'ann', content: 'x' }, 400, /can't message yourself/],
    ['nobody', { recipientId: uuidv7(), content: 'x' }, 404, /this account was deleted/],
    ['no id', { recipientId: '../ben', content: 'x' }, 404, /this account was deleted/],
    ['WhatsApp', { recipientId: 'ben', content: 'x', whatsappData: {} }, 503, /not configured/],
    ['media from afar', { recipientId: 'ben', mediaUrl: 'https://a.org/x' }, 400, /on this server/],
  ])('refuses %s', async (_what, body, status, words) => {
    const named = (body ?? {}) as { recipientId?: unknown }
    const recipientId =
      named.recipientId === 'ben' || named.recipientId === 'ann'
        ? opened[named.recipientId].userId
        : named.recipientId
    const answer = await as(opened.ann).post('/messages', body && { ...body, recipientId })
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringMatching(words)])
    expect(answer.body.code).toEqual(expect.any(String))
  })

  it('P6: keeps what it refuses as failed, and takes it under the same id once it is mended', async () => {
    const _id = uuidv7()
    const body = { _id, recipientId: opened.ben.userId, content: ' ' }
    const refused = await as(opened.ann).post('/messages', body)
    expect([refused.status, refused.body.code]).toEqual([400, 'empty'])
    expect(await opened.chat.readStored(opened.ann, _id)).toMatchObject({ status: 'failed' })
    const mended = await as(opened.ann).post('/messages', { ...body, content: 'mended' })
    expect([mended.status, mended.body.content, mended.body.status]).toEqual([
      201,
      'mended',
      'sent',
    ])
    expect(mended.body).toHaveProperty('error', null)
    expect(await opened.chat.readStored(opened.ben, _id)).toMatchObject({ content: 'mended' })
  })

  it('P8: never takes an id that is somebody else’s message', async () => {
    const id = await opened.chat.say(opened.ben, opened.ann, 'mine')
    const body = { _id: id, recipientId: opened.ben.userId, content: 'forged' }
    const toReceived = await as(opened.ann).post('/messages', body)
    expect([toReceived.status, toReceived.body.code]).toEqual([409, 'foreign_id'])
    const fromOutside = await as(opened.cyd).post('/messages', body)
    expect([fromOutside.status, fromOutside.body.code]).toEqual([409, 'foreign_id'])
    expect(await opened.chat.readStored(opened.ben, id)).toMatchObject({ content: 'mine' })
  })
})

describe('POST /messages/{id}/forward', () => {
  const forward = (id: string, recipientIds: unknown, headers = {}) =>
    as(opened.ben).post(`/messages/${id}/forward`, { recipientIds }, headers)

  it('sends it on to each', async () => {
    const id = await say('pass it on')
    const answer = await forward(id, [opened.cyd.userId, opened.ann.userId])
    expect(answer.status).toBe(201)
    expect(answer.body.messages).toMatchObject([
      { content: 'pass it on', sender: { username: 'Ben' }, recipient: { username: 'Cyd' } },
      { content: 'pass it on', recipient: { username: 'Ann' }, status: 'sent' },
    ])
    const { body } = await as(opened.cyd).get(`/messages/${opened.ben.userId}`)
    expect(body.at(-1).content).toBe('pass it on')
  })

  it('sends on what is said of the page behind a link', async () => {
    const { ann, ben, cyd, chat } = opened
    const [_id, now] = [uuidv7(), Date.now()]
    const url = 'https://harbour.example/lamp'
    const link = { url, title: 'The lamp', description: 'It is lit at dusk.' }
    const written = { _id, peerId: ben.userId, senderId: ann.userId, recipientId: ben.userId, link }
    const body = { ...written, content: `look: ${url}`, createdAt: now, orderedAt: now }
    await chat.app.call('PUT', `/sync/messages/${_id}`, { token: ann.token, body })
    const answer = await forward(_id, [cyd.userId])
    expect(answer.body.messages).toMatchObject([{ content: body.content, link }])
    const sentOn = answer.body.messages[0]._id
    expect(await chat.readStored(cyd, sentOn)).toMatchObject({ content: body.content, link })
  })

  it('P6: loses none where some are refused', async () => {
    const id = await say('pass it on')
    const nobody = uuidv7()
    const answer = await forward(id, [nobody, opened.cyd.userId, opened.ben.userId])
    expect(answer.status).toBe(207)
    expect(answer.body.messages).toMatchObject([
      { status: 'failed', errorCode: 'unknown_person', recipient: { _id: nobody } },
      { status: 'sent' },
      { status: 'failed', errorCode: 'to_yourself' },
    ])
  })

  it('P2: is done once under one Idempotency-Key', async () => {
    const id = await say('once')
    const headers = { 'idempotency-key': uuidv7() }
    const [first, again] = [
      await forward(id, [opened.cyd.userId], headers),
      await forward(id, [opened.cyd.userId], headers),
    ]
    expect(again.body.messages[0]._id).toBe(first.body.messages[0]._id)
    const { body } = await as(opened.cyd).get(`/messages/${opened.ben.userId}`)
    const same = body.filter((message: { content: string }) => message.content === 'once')
    expect(same).toHaveLength(1)
  })

  it('refuses what one does not have, what is gone, and nobody', async () => {
    const id = await say('gone')
    const byOther = await as(opened.cyd).post(`/messages/${id}/forward`, {
      recipientIds: [opened.ann.userId],
    })
    expect(byOther.status).toBe(404)
    for (const recipientIds of [undefined, [], ['x'], 'all', [{}]]) {
      expect((await forward(id, recipientIds)).status).toBe(400)
    }
    await as(opened.ann).remove(`/messages/${id}`)
    const answer = await forward(id, [opened.cyd.userId])
    expect([answer.status, answer.body.code]).toEqual([409, 'message_deleted'])
  })
})
