import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { proposeMessage } from '../messages/proposals/proposal.ts'
import { openTestSocket } from '../testing/open-test-socket.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'

/** Four at once. */
const opened = {} as { app: TestApp; ben: TestPerson }
beforeAll(async () => {
  opened.app = await startTestApp({ MESSAGE_RATE: '2' })
  opened.ben = await opened.app.register('Ben')
})
afterAll(() => opened.app.close())

const names = ['Ann', 'Anna', 'Anne', 'Annie', 'Anita', 'Anja', 'Anouk']
const registerNext = () => opened.app.register(names.shift() ?? 'Anton')

function writeTo(recipient: TestPerson, { userId: senderId }: TestPerson) {
  const message = { content: 'hello', _id: uuidv7() }
  return proposeMessage({ senderId, recipientId: recipient.userId, message }).raw
}
const write = (author: TestPerson) => writeTo(opened.ben, author)
const push = ({ token }: TestPerson, docs: object[]) =>
  opened.app.call('POST', '/sync/messages/_bulk_docs', { token, body: { docs } })
const say = ({ token }: TestPerson, rest = {}) =>
  opened.app.call('POST', '/api/messages', {
    token,
    body: { recipientId: opened.ben.userId, content: 'hello', ...rest },
  })
const list = async ({ token }: TestPerson) => {
  const answer = await opened.app.call('GET', '/sync/messages/_all_docs', { token })
  return answer.body.rows.map(({ id }: { id: string }) => id) as string[]
}
const exhaust = async (person: TestPerson) => {
  const docs = [1, 2, 3, 4].map(() => write(person))
  expect((await push(person, docs)).status).toBe(201)
  return docs
}

describe('P12: whoever has sent too many messages', () => {
  it('is told by POST /messages, in words and headers', async () => {
    const ann = await registerNext()
    const first = await say(ann)
    expect(first.status).toBe(201)
    expect(first.headers.get('ratelimit-limit')).toBe('4')
    expect(first.headers.get('ratelimit-remaining')).toBe('3')
    for (const _ of [2, 3, 4]) expect((await say(ann)).status).toBe(201)
    const refused = await say(ann)
    expect([refused.status, refused.body]).toEqual([
      429,
      {
        code: 'too_many_messages',
        error: 'Too many messages at once. They will be sent a little later.',
      },
    ])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('ratelimit-remaining')).toBe('0')
    expect(Number(refused.headers.get('ratelimit-reset'))).toBeGreaterThan(30)
    expect(await list(ann)).toHaveLength(4)
  })

  it('P6: pushes later what is held up, and nothing of it is refused for good', async () => {
    // After a burst of sixty, the next is free in two seconds.
    const app = await startTestApp({ MESSAGE_RATE: '30' })
    onTestFinished(() => app.close())
    const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
    const pushHere = (
      count: number,
      docs = Array.from({ length: count }, () => writeTo(ben, ann)),
    ) => app.call('POST', '/sync/messages/_bulk_docs', { token: ann.token, body: { docs } })
    expect((await pushHere(60)).status).toBe(201)
    const docs = Array.from({ length: 5 }, () => writeTo(ben, ann))
    const refused = await pushHere(5, docs)
    expect([refused.status, refused.body.error]).toEqual([429, 'too_many_requests'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const listOf = async ({ token }: TestPerson) =>
      (await app.call('GET', '/sync/messages/_all_docs', { token })).body.rows.length
    expect([await listOf(ann), await listOf(ben)]).toEqual([60, 60])
    await expect.poll(async () => (await pushHere(5, docs)).status, { interval: 500 }).toBe(201)
    expect([await listOf(ann), await listOf(ben)]).toEqual([65, 65])
  })

  it('may still say again what is there, edit it and delete it', async () => {
    const ann = await registerNext()
    const docs = await exhaust(ann)
    expect((await push(ann, docs)).status).toBe(201)
    const [id] = docs.map(({ _id }) => String(_id))
    const { token } = ann
    const edited = await opened.app.call('PUT', `/api/messages/${id}`, {
      token,
      body: { content: 'hello Ben' },
    })
    expect(edited.status).toBe(200)
    expect((await opened.app.call('DELETE', `/api/messages/${id}`, { token })).status).toBe(200)
    expect((await say(ann, { _id: docs[1]?._id })).status).toBe(200)
  })

  it('is told by the socket', async () => {
    const ann = await registerNext()
    await exhaust(ann)
    const socket = await openTestSocket({ url: opened.app.url, token: ann.token })
    const _id = uuidv7()
    const message = { _id, content: 'hello' }
    socket.say('send-message', { recipientId: opened.ben.userId, message })
    await expect
      .poll(() => socket.last('message-refused'))
      .toMatchObject({ messageId: _id, code: 'too_many_messages' })
    socket.socket.close()
    await socket.closed
  })

  it('is not held up by what others send, and holds up nobody', async () => {
    const [ann, other] = [await registerNext(), await registerNext()]
    await exhaust(ann)
    expect((await say(other)).status).toBe(201)
    expect(
      (await opened.app.call('GET', '/api/users/me/usage', { token: ann.token })).body,
    ).toEqual(expect.objectContaining({ messagesPerMinute: 2 }))
  })
})
