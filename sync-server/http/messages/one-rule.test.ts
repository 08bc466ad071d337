import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { listReactions, react } from '../../../schema/reaction.ts'
import { openTestChat, type TestChat } from '../../testing/open-test-chat.ts'
import { openTestSocket, type TestSocket } from '../../testing/open-test-socket.ts'
import type { TestPerson } from '../../testing/start-test-app.ts'

const opened = {} as {
  chat: TestChat
  ann: TestPerson
  ben: TestPerson
  annsSocket: TestSocket
  bensSocket: TestSocket
}
beforeAll(async () => {
  opened.chat = await openTestChat()
  opened.ann = await opened.chat.register('Ann')
  opened.ben = await opened.chat.register('Ben')
  const { url } = opened.chat.app
  opened.annsSocket = await openTestSocket({ url, token: opened.ann.token })
  opened.bensSocket = await openTestSocket({ url, token: opened.ben.token })
  await opened.bensSocket.untilGreeted()
})
afterAll(() => opened.chat.close())

const as = (person: TestPerson) => opened.chat.as(person)
const stored = (person: TestPerson, id: string) => opened.chat.readStored(person, id)

/** Ann's message, over any route. */
interface Said {
  _id: string
  recipientId: string
  content: string
  type?: string
  replyTo?: string
}
type Way = (said: Said) => Promise<{ code: string | undefined }>

const ways: Record<'rest' | 'push' | 'socket', Way> = {
  async rest({ replyTo, ...said }) {
    const reply = replyTo === undefined ? {} : { replyToMessageId: replyTo }
    return { code: (await as(opened.ann).post('/messages', { ...said, ...reply })).body.code }
  },
  async push(said) {
    await pushMessage(opened.ann, {
      peerId: said.recipientId,
      senderId: opened.ann.userId,
      createdAt: Date.now(),
      orderedAt: Date.now(),
      ...said,
    })
    const { errorCode, refused } = await stored(opened.ann, said._id)
    return { code: errorCode ?? refused?.code }
  },
  async socket({ recipientId, replyTo, ...rest }) {
    const reply = replyTo === undefined ? {} : { replyToMessageId: replyTo }
    opened.annsSocket.say('send-message', { recipientId, message: { ...rest, ...reply } })
    const isTaken = async () => {
      const { senderId, status } = await stored(opened.ann, rest._id)
      return senderId === opened.ann.userId && status === 'sent'
    }
    // What is refused is stored first, and told then.
    await expect
      .poll(async () => findRefusal(rest._id) !== undefined || (await isTaken()))
      .toBe(true)
    return { code: findRefusal(rest._id) }
  },
}

function findRefusal(id: string): string | undefined {
  const refusals = opened.annsSocket.heard.flatMap((event) =>
    event.event === 'message-refused' ? [event.data] : [],
  )
  return refusals.find(({ messageId }) => messageId === id)?.code
}

const pushMessage = (person: TestPerson, doc: object) =>
  opened.chat.app.call('POST', '/sync/messages/_bulk_docs', {
    token: person.token,
    body: { docs: [doc] },
  })

/** A stored copy without its naturally varying fields: its id and times. */
function describeCopy(copy: unknown): Record<string, unknown> {
  const parsed = messageDocument.safeParse(copy)
  if (!parsed.success) return { isThere: false }
  const { _id, createdAt, orderedAt, isStarredAt, statusHistory, ...rest } = parsed.data
  const { editedAt, deletedAt, refused, reactions, ...said } = rest
  return {
    ...said,
    isEdited: editedAt !== undefined,
    isDeleted: deletedAt !== undefined,
    refusedFor: refused?.code,
    reactions: listReactions(reactions).map(({ userId, emoji }) => ({ userId, emoji })),
    history: statusHistory.map(({ status }) => status),
  }
}

const announcementsOf = (id: string) =>
  opened.bensSocket.heard.flatMap((event) =>
    event.event === 'receive-message' && event.data.messageId === id ? [event.data] : [],
  )

/** Everything that resulted from a message. */
async function describeOutcome(id: string, way: Way, said: Omit<Said, '_id'>) {
  const { code } = await way({ ...said, _id: id })
  // A device that has heard of a later message would have heard of this one by now.
  const later = await opened.chat.say(opened.ann, opened.ben, 'later')
  if (code === undefined) await expect.poll(() => announcementsOf(id)).not.toEqual([])
  await expect.poll(() => announcementsOf(later)).not.toEqual([])
  const told = announcementsOf(id).map(({ messageId, timestamp, ...rest }) => rest)
  return {
    code,
    own: describeCopy(await stored(opened.ann, id)),
    others: describeCopy(await stored(opened.ben, id)),
    told,
  }
}

const toBen = () => ({ recipientId: opened.ben.userId })

describe.each<{ what: string; said: () => Omit<Said, '_id'>; code?: string }>([
  { what: 'a text', said: () => ({ ...toBen(), content: 'hello' }) },
  { what: 'a kind of its own', said: () => ({ ...toBen(), content: 'pic', type: 'image' }) },
  { what: 'nothing', said: () => ({ ...toBen(), content: '  ' }), code: 'empty' },
  {
    what: 'something to oneself',
    said: () => ({ recipientId: opened.ann.userId, content: 'me' }),
    code: 'to_yourself',
  },
  {
    what: 'something to nobody',
    said: () => ({ recipientId: '01890000-0000-7000-8000-00000000dead', content: 'x' }),
    code: 'unknown_person',
  },
  {
    what: 'a template',
    said: () => ({ ...toBen(), content: 'buy', type: 'template' }),
    code: 'type_not_allowed',
  },
  {
    what: 'buttons',
    said: () => ({ ...toBen(), content: 'buy', type: 'interactive' }),
    code: 'type_not_allowed',
  },
])('P4: $what', ({ said, code }) => {
  it('is the same message by REST, by push and by socket', async () => {
    const [rest, push, socket] = [
      await describeOutcome(uuidv7(), ways.rest, said()),
      await describeOutcome(uuidv7(), ways.push, said()),
      await describeOutcome(uuidv7(), ways.socket, said()),
    ]
    expect(rest.code).toBe(code)
    expect(push).toEqual(rest)
    expect(socket).toEqual(rest)
    expect(rest.told).toHaveLength(code === undefined ? 1 : 0)
    expect(rest.own).toMatchObject({ status: code === undefined ? 'sent' : 'failed' })
  })
})

describe('P4: what carries somebody else’s id', () => {
  it.each(['rest', 'push', 'socket'] as const)('is refused by %s', async (name) => {
    const id = await opened.chat.say(opened.ben, opened.ann, 'Ben’s own')
    const outcome = await describeOutcome(id, ways[name], { ...toBen(), content: 'forged' })
    expect(outcome).toMatchObject({
      code: 'foreign_id',
      own: { content: 'Ben’s own', senderId: opened.ben.userId },
      others: { content: 'Ben’s own', senderId: opened.ben.userId },
    })
  })
})

describe('P4: a forged sender', () => {
  const forged = () => ({ senderId: opened.ben.userId, sender: { _id: opened.ben.userId } })

  it('counts for nothing where the token says who speaks', async () => {
    for (const name of ['rest', 'socket'] as const) {
      const said = { ...toBen(), content: 'forged', ...forged() }
      const { own } = await describeOutcome(uuidv7(), ways[name], said)
      expect(own).toMatchObject({ senderId: opened.ann.userId, status: 'sent' })
    }
  })

  it('is refused where a whole document comes', async () => {
    const said = { ...toBen(), content: 'forged', ...forged() }
    const { own, others, code } = await describeOutcome(uuidv7(), ways.push, said)
    expect([code, others]).toEqual(['wrong_sender', { isThere: false }])
    expect(own).toMatchObject({ senderId: opened.ann.userId, status: 'failed' })
  })
})

describe.each<{
  what: string
  person: 'ann' | 'ben'
  rest: (id: string) => Promise<{ status: number; body: { code?: string } }>
  push: (message: MessageDocument) => MessageDocument
  status: number
}>([
  {
    what: 'an edit by the author',
    person: 'ann',
    rest: (id) => as(opened.ann).put(`/messages/${id}`, { content: 'edited' }),
    push: (message) => ({ ...message, content: 'edited', editedAt: Date.now() }),
    status: 200,
  },
  {
    what: 'an edit by the reader',
    person: 'ben',
    rest: (id) => as(opened.ben).put(`/messages/${id}`, { content: 'forged' }),
    push: (message) => ({ ...message, content: 'forged', editedAt: Date.now() }),
    status: 403,
  },
  {
    what: 'an empty edit',
    person: 'ann',
    rest: (id) => as(opened.ann).put(`/messages/${id}`, { content: ' ' }),
    push: (message) => ({ ...message, content: ' ', editedAt: Date.now() }),
    status: 400,
  },
  {
    what: 'a deletion by the author',
    person: 'ann',
    rest: (id) => as(opened.ann).remove(`/messages/${id}`),
    push: (message) => ({ ...message, deletedAt: Date.now() }),
    status: 200,
  },
  {
    what: 'a deletion by the reader',
    person: 'ben',
    rest: (id) => as(opened.ben).remove(`/messages/${id}`),
    push: (message) => ({ ...message, deletedAt: Date.now() }),
    status: 403,
  },
  {
    what: 'a star',
    person: 'ben',
    rest: (id) => as(opened.ben).put(`/messages/${id}/star`, { isStarred: true }),
    push: (message) => ({ ...message, isStarred: true, isStarredAt: Date.now() }),
    status: 200,
  },
  {
    what: 'a reaction of the reader',
    person: 'ben',
    rest: (id) => as(opened.ben).put(`/messages/${id}/reaction`, { emoji: '👍🏽' }),
    push: (message) =>
      react(message, { userId: opened.ben.userId, emoji: '👍🏽', now: Date.now() }),
    status: 200,
  },
  {
    what: 'a reaction of the author',
    person: 'ann',
    rest: (id) => as(opened.ann).put(`/messages/${id}/reaction`, { emoji: '❤️' }),
    push: (message) => react(message, { userId: opened.ann.userId, emoji: '❤️', now: Date.now() }),
    status: 200,
  },
])('P4: $what', ({ person, rest, push, status }) => {
  it('does the same by REST and by push', async () => {
    const ids = [
      await opened.chat.say(opened.ann, opened.ben, 'as it was'),
      await opened.chat.say(opened.ann, opened.ben, 'as it was'),
    ] as const
    expect((await rest(ids[0])).status).toBe(status)
    const actor = opened[person]
    await pushMessage(actor, push(await stored(actor, ids[1])))
    const [byRest, byPush] = await Promise.all(
      ids.map(async (id) => ({
        ann: describeCopy(await stored(opened.ann, id)),
        ben: describeCopy(await stored(opened.ben, id)),
      })),
    )
    expect(byPush).toEqual(byRest)
  })
})

describe('P4: a receipt', () => {
  it.each([
    ['delivered', 'deliveredUpTo'],
    ['read', 'readUpTo'],
  ] as const)('of %s does the same by REST and by push', async (status, mark) => {
    const byRest = await opened.chat.say(opened.ann, opened.ben, 'one')
    await as(opened.ben).put(`/messages/${byRest}/status`, { status })
    const byPush = await opened.chat.say(opened.ann, opened.ben, 'two')
    const { orderedAt } = await stored(opened.ben, byPush)
    await opened.chat.app.call('POST', '/sync/conversations/_bulk_docs', {
      token: opened.ben.token,
      body: { docs: [{ _id: opened.ann.userId, [mark]: orderedAt }] },
    })
    const [one, two] = [await stored(opened.ann, byRest), await stored(opened.ann, byPush)]
    expect(describeCopy(two)).toEqual({ ...describeCopy(one), content: 'two' })
    const told = [byRest, byPush].map(async (id) => {
      const { body } = await as(opened.ann).get(`/messages/${id}/status-history`)
      return body.history.map((entry: { status: string }) => entry.status)
    })
    const [first, second] = await Promise.all(told)
    expect(first.at(-1)).toBe(status)
    expect(second).toEqual(first)
  })
})
