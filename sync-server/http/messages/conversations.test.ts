import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestChat, type TestChat } from '../../testing/open-test-chat.ts'
import { startTestApp, type TestPerson } from '../../testing/start-test-app.ts'

const opened = { chat: await openTestChat() } as {
  chat: TestChat
  ann: TestPerson
  ben: TestPerson
  count: number
}
const named = { count: 0 }
beforeEach(async () => {
  named.count += 1
  opened.ann = await opened.chat.register(`Ann-${named.count}`)
  opened.ben = await opened.chat.register(`Ben-${named.count}`)
})
afterAll(() => opened.chat.close())

const as = (person: TestPerson) => opened.chat.as(person)
const fromAnn = (content: string) => opened.chat.say(opened.ann, opened.ben, content)
const fromBen = (content: string) => opened.chat.say(opened.ben, opened.ann, content)
const listOf = async (person: TestPerson) => (await as(person).get('/messages/conversations')).body
/** Pushes a conversation, which only devices can do. */
const push = (person: TestPerson, doc: object) =>
  opened.chat.app.call('POST', '/sync/conversations/_bulk_docs', {
    token: person.token,
    body: { docs: [doc] },
  })

describe('GET /messages/conversations', () => {
  it('joins the person, the newest message and what is unread', async () => {
    await fromAnn('one')
    await fromAnn('two')
    expect(await listOf(opened.ben)).toMatchObject([
      {
        _id: opened.ann.userId,
        currentUserId: opened.ben.userId,
        user: { _id: opened.ann.userId, username: opened.ann.username },
        lastMessage: { content: 'two', sender: { username: opened.ann.username } },
        lastMessageAt: expect.any(String),
        unreadCount: 2,
        isOnline: false,
        isArchived: false,
        isPinned: false,
        isMuted: false,
        isGroup: false,
      },
    ])
    expect(await listOf(opened.ann)).toMatchObject([{ unreadCount: 0 }])
  })

  it('puts pinned ones first, then the newest', async () => {
    const [cyd, dia] = [
      await opened.chat.register(`Cyd-${named.count}`),
      await opened.chat.register(`Dia-${named.count}`),
    ]
    await fromAnn('first')
    await opened.chat.say(cyd, opened.ben, 'second')
    await opened.chat.say(dia, opened.ben, 'third')
    const order = async () =>
      (await listOf(opened.ben)).map(({ user }: { user: { username: string } }) =>
        user.username.slice(0, 3),
      )
    expect(await order()).toEqual(['Dia', 'Cyd', 'Ann'])
    await as(opened.ben).put(`/messages/conversations/${opened.ann.userId}/pin`, { isPinned: true })
    expect(await order()).toEqual(['Ann', 'Dia', 'Cyd'])
  })

  it('does not count what was deleted, and shows what is newest without its words', async () => {
    await fromAnn('stays')
    const id = await fromAnn('goes')
    await as(opened.ann).remove(`/messages/${id}`)
    expect(await listOf(opened.ben)).toMatchObject([
      { unreadCount: 1, lastMessage: { _id: id, content: '', deletedAt: expect.any(String) } },
    ])
  })

  it('leaves out what was cleared until something new is said', async () => {
    await fromAnn('old')
    const [{ lastMessageAt }] = await listOf(opened.ben)
    await push(opened.ben, { _id: opened.ann.userId, clearedUpTo: Date.parse(lastMessageAt) })
    expect(await listOf(opened.ben)).toEqual([])
    expect((await as(opened.ben).get(`/messages/${opened.ann.userId}`)).body).toEqual([])
    await fromAnn('new')
    expect(await listOf(opened.ben)).toMatchObject([
      { unreadCount: 1, lastMessage: { content: 'new' } },
    ])
    const { body } = await as(opened.ben).get(`/messages/${opened.ann.userId}`)
    expect(body.map(({ content }: { content: string }) => content)).toEqual(['new'])
  })

  it('is right although a device named a newest message that is none', async () => {
    await fromAnn('real')
    const orderedAt = Date.now()
    const lastMessage = { _id: uuidv7(), orderedAt }
    await push(opened.ben, { _id: opened.ann.userId, lastMessage, lastMessageAt: orderedAt })
    expect(await listOf(opened.ben)).toMatchObject([
      { unreadCount: 1, lastMessage: { content: 'real' } },
    ])
  })
})

describe('PUT /messages/conversations/{userId}/read', () => {
  it('leaves nothing unread, and tells the author', async () => {
    const id = await fromAnn('read me')
    const path = `/messages/conversations/${opened.ann.userId}/read`
    const answer = await as(opened.ben).put(path)
    expect([answer.status, answer.body.unreadCount]).toEqual([200, 0])
    expect((await as(opened.ann).get(`/messages/${id}/status`)).body.status).toBe('read')
    expect((await as(opened.ben).put(path)).status).toBe(200)
    await fromAnn('and me')
    expect(await listOf(opened.ben)).toMatchObject([{ unreadCount: 1 }])
  })

  it('makes no conversation of nothing, and finds nobody', async () => {
    const answer = await as(opened.ben).put(`/messages/conversations/${opened.ann.userId}/read`)
    expect([answer.status, answer.body.unreadCount]).toEqual([200, 0])
    expect(await listOf(opened.ben)).toEqual([])
    for (const nobody of [uuidv7(), 'nobody', opened.ben.userId]) {
      expect((await as(opened.ben).put(`/messages/conversations/${nobody}/read`)).status).toBe(404)
    }
  })
})

describe.each([
  ['PUT /messages/conversations/{userId}/archive', 'archive', 'isArchived'],
  ['PUT /messages/conversations/{userId}/pin', 'pin', 'isPinned'],
  ['PUT /messages/conversations/{userId}/mute', 'mute', 'isMuted'],
])('%s', (_call, verb, flag) => {
  it('sets and takes back, at once, on this side only', async () => {
    await fromAnn('hello')
    const set = (value: unknown, userId = opened.ann.userId) =>
      as(opened.ben).put(`/messages/conversations/${userId}/${verb}`, { [flag]: value })
    expect((await set(true)).body).toMatchObject({ _id: opened.ann.userId, [flag]: true })
    expect((await set(false)).body).toMatchObject({ [flag]: false })
    expect((await set(true)).body).toMatchObject({ [flag]: true })
    expect(await listOf(opened.ben)).toMatchObject([{ [flag]: true }])
    expect(await listOf(opened.ann)).toMatchObject([{ [flag]: false }])
    for (const wrong of [undefined, 'true', 1, { $ne: false }]) {
      expect((await set(wrong)).status).toBe(400)
    }
    expect((await set(true, uuidv7())).status).toBe(404)
  })
})

it('mutes until a time, and says nothing of a muting that is over', async () => {
  await fromAnn('hello')
  const set = (change: object) =>
    as(opened.ben).put(`/messages/conversations/${opened.ann.userId}/mute`, change)
  const later = new Date(Date.now() + 3_600_000).toISOString()
  expect((await set({ isMuted: true, mutedUntil: later })).body).toMatchObject({
    isMuted: true,
    mutedUntil: later,
  })
  expect((await set({ isMuted: true })).body).not.toHaveProperty('mutedUntil')
  const over = await set({ isMuted: true, mutedUntil: '2020-01-01T00:00:00.000Z' })
  expect(over.body).toMatchObject({ isMuted: false })
  expect(over.body).not.toHaveProperty('mutedUntil')
  expect((await set({ isMuted: true, mutedUntil: 'tomorrow' })).status).toBe(400)
})

describe('GET /messages/conversations/{userId}/stats', () => {
  it('counts what the conversation holds', async () => {
    const path = `/messages/conversations/${opened.ann.userId}/stats`
    expect((await as(opened.ben).get(path)).body).toEqual({
      total: 0,
      sent: 0,
      received: 0,
      unread: 0,
      starred: 0,
      media: 0,
      firstMessageAt: null,
      lastMessageAt: null,
    })
    const first = await fromAnn('one')
    await as(opened.ben).put(`/messages/${first}/star`, { isStarred: true })
    await as(opened.ben).put(`/messages/conversations/${opened.ann.userId}/read`)
    await fromAnn('two')
    await fromBen('three')
    const deleted = await fromAnn('four')
    await as(opened.ann).remove(`/messages/${deleted}`)
    const { body } = await as(opened.ben).get(path)
    expect(body).toMatchObject({ total: 4, sent: 1, received: 3, unread: 1, starred: 1, media: 0 })
    expect(Date.parse(body.lastMessageAt)).toBeGreaterThan(Date.parse(body.firstMessageAt))
    expect((await as(opened.ben).get('/messages/conversations/nobody/stats')).status).toBe(404)
  })
})

describe('PUT /messages/{id}/status', () => {
  it('is the recipient’s word, and never goes back', async () => {
    const id = await fromAnn('hello')
    const set = (status: unknown, person = opened.ben) =>
      as(person).put(`/messages/${id}/status`, { status })
    const statusForAnn = async () =>
      (await as(opened.ann).get(`/messages/${id}/status`)).body.status
    expect(await statusForAnn()).toBe('sent')
    expect((await set('delivered')).body).toMatchObject({ messageId: id, status: 'delivered' })
    expect(await statusForAnn()).toBe('delivered')
    expect((await set('read')).body).toMatchObject({ messageId: id, status: 'read' })
    expect(await statusForAnn()).toBe('read')
    expect((await set('read')).status).toBe(200)
    for (const lower of ['delivered', 'sent', 'sending', 'failed']) {
      const answer = await set(lower)
      expect([answer.status, answer.body.code]).toEqual([409, 'status_not_higher'])
    }
    expect(await statusForAnn()).toBe('read')
    for (const wrong of ['seen', '', null, { $gt: '' }]) expect((await set(wrong)).status).toBe(400)
  })

  it('is not the author’s, and nobody else’s', async () => {
    const id = await fromAnn('hello')
    const own = await as(opened.ann).put(`/messages/${id}/status`, { status: 'read' })
    expect([own.status, own.body.code]).toEqual([403, 'forged_status'])
    const cyd = await opened.chat.register(`Cyd-${named.count}`)
    const foreign = await as(cyd).put(`/messages/${id}/status`, { status: 'read' })
    expect([foreign.status, foreign.body.code]).toEqual([404, 'message_not_found'])
    expect((await as(opened.ann).get(`/messages/${id}/status`)).body.status).toBe('sent')
  })
})

describe('GET /messages/{id}/status', () => {
  it('says where a message stands, and since when', async () => {
    const id = await fromAnn('hello')
    const { status, body } = await as(opened.ann).get(`/messages/${id}/status`)
    expect([status, body]).toEqual([
      200,
      { messageId: id, status: 'sent', timestamp: expect.any(String), error: null },
    ])
    const cyd = await opened.chat.register(`Cyd-${named.count}`)
    expect((await as(cyd).get(`/messages/${id}/status`)).status).toBe(404)
  })

  it('says why a message was not taken', async () => {
    const _id = uuidv7()
    await as(opened.ann).post('/messages', { _id, recipientId: opened.ben.userId, content: ' ' })
    expect((await as(opened.ann).get(`/messages/${_id}/status`)).body).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/empty message/),
    })
  })
})

describe('GET /messages/{id}/status-history', () => {
  it('grows with each step', async () => {
    const id = await fromAnn('hello')
    await as(opened.ben).put(`/messages/${id}/status`, { status: 'delivered' })
    await as(opened.ben).put(`/messages/${id}/status`, { status: 'read' })
    const { body } = await as(opened.ann).get(`/messages/${id}/status-history`)
    expect(body).toMatchObject({ messageId: id, status: 'read' })
    expect(body.history.map((entry: { status: string }) => entry.status)).toEqual([
      'sent',
      'delivered',
      'read',
    ])
    const times = body.history.map((entry: { timestamp: string }) => entry.timestamp)
    expect(times).toEqual([...times].sort())
    expect((await as(opened.ann).get(`/messages/${uuidv7()}/status-history`)).status).toBe(404)
  })
})

describe('a restart', () => {
  it('loses no conversation', async () => {
    const app = await startTestApp()
    try {
      const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
      const body = { recipientId: ben.userId, content: 'kept' }
      await app.call('POST', '/api/messages', { token: ann.token, body })
      await app.killAndStart()
      const { body: list } = await app.call('GET', '/api/messages/conversations', {
        token: ben.token,
      })
      expect(list).toMatchObject([{ lastMessage: { content: 'kept' }, unreadCount: 1 }])
    } finally {
      await app.close()
    }
  })
})
