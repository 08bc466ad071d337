import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { limits } from '../../schema/limits.ts'
import { openTestSocket, type TestSocket } from '../testing/open-test-socket.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'

const opened = { sockets: [] as TestSocket[] } as {
  app: TestApp
  ann: TestPerson
  ben: TestPerson
  sockets: TestSocket[]
}
beforeAll(async () => {
  opened.app = await startTestApp({}, { presenceGraceMs: 50, idleCloseMs: 100 })
  opened.ann = await opened.app.register('Ann')
  opened.ben = await opened.app.register('Ben')
})
afterEach(async () => {
  for (const { socket, closed } of opened.sockets.splice(0)) {
    socket.close()
    await closed
  }
})
afterAll(() => opened.app.close())

async function connect(token: string | undefined, rest: { path?: string; headers?: object } = {}) {
  const socket = await openTestSocket({ url: opened.app.url, token, ...rest } as never)
  opened.sockets.push(socket)
  return socket
}
/**
 * Connects Ben and waits until he is admitted: before that a device misses news about him, and he counts as online
 * by a device that has just gone alone.
 */
async function connectBen() {
  const ben = await connect(opened.ben.token)
  await expect.poll(() => ben.last('users-online')).toContain(opened.ben.userId)
  return ben
}
const isOnline = async (userId: string) =>
  (await opened.app.call('GET', `/api/users/${userId}/activity`, { token: opened.ann.token })).body
    .isOnline

describe('a socket', () => {
  it('is opened by a token, and speaks petrel.v1', async () => {
    const { socket } = await connect(opened.ann.token)
    expect(socket.protocol).toBe('petrel.v1')
    expect(socket.readyState).toBe(socket.OPEN)
  })

  it.each([
    ['no token', undefined],
    ['a wrong one', 'nonsense'],
  ])('closes with 4401 for %s', async (_what, token) => {
    const { closed, heard } = await connect(token)
    expect(await closed).toBe(4401)
    expect(heard).toEqual([])
  })

  it.each(['/chat', '/api/users', '/sync/messages/', '/anything?x=1'])(
    'is not opened at %s',
    async (path) => {
      const { socket, closed } = await connect(opened.ann.token, { path })
      await closed
      expect(socket.readyState).toBe(socket.CLOSED)
    },
  )

  it.each([
    ['http://evil.example', false],
    ['null', false],
    ['itself', true],
  ])('from a page of %s opens: %s', async (from, isLetIn) => {
    const origin = from === 'itself' ? opened.app.url : from
    const { socket } = await connect(opened.ann.token, { headers: { origin } })
    expect(socket.readyState === socket.OPEN).toBe(isLetIn)
  })

  it.each([
    ['not JSON', '{"event":'],
    ['an unknown event', '{"event":"become-admin","data":{}}'],
    ['wrong data', '{"event":"typing","data":{"recipientId":{"$ne":null}}}'],
    ['a prototype', '{"event":"__proto__","data":{}}'],
    ['an empty frame', ''],
    ['deep nesting', '['.repeat(8_000)],
  ])('that says %s is closed, and no other', async (_what, frame) => {
    const bad = await connect(opened.ann.token)
    const good = await connect(opened.ann.token)
    bad.socket.send(frame)
    expect(await bad.closed).toBe(4400)
    good.say('typing', { recipientId: opened.ann.userId })
    await expect.poll(() => good.last('user-typing')).toEqual({ userId: opened.ann.userId })
  })

  it('that sends bytes, or more than 16 KiB, is closed', async () => {
    const bytes = await connect(opened.ann.token)
    bytes.socket.send(Buffer.from([1, 2, 3]))
    expect(await bytes.closed).toBe(4400)
    const giant = await connect(opened.ann.token)
    giant.socket.send('x'.repeat(16 * 1024 + 1))
    expect(await giant.closed).toBe(1009)
    expect((await opened.app.call('GET', '/healthz')).status).toBe(200)
  })

  it('that floods is closed', async () => {
    const flood = await connect(opened.ann.token)
    // The number of frames depends on how fast the server handles them.
    const say = () => {
      for (let i = 0; i < 500; i += 1) flood.say('stop-typing', { recipientId: opened.ben.userId })
      return flood.closedWith()
    }
    await expect.poll(say).toBe(4429)
  })

  it('hears frames that were sent before it was let in', async () => {
    const ben = await connectBen()
    const ann = await connect(opened.ann.token)
    ann.say('typing', { recipientId: opened.ben.userId })
    await expect.poll(() => ben.last('user-typing')).toEqual({ userId: opened.ann.userId })
  })

  it('closes with 4401 when its sign-in ends', async () => {
    const body = { username: 'Ann', password: opened.ann.password }
    const { token } = (await opened.app.call('POST', '/api/auth/login', { body })).body
    const ended = await connect(token)
    const other = await connect(opened.ann.token)
    await opened.app.call('POST', '/api/auth/logout', { token })
    expect(await ended.closed).toBe(4401)
    expect(other.socket.readyState).toBe(other.socket.OPEN)
  })
})

describe('presence', () => {
  it('tells who is online, and when they were last', async () => {
    const ann = await connect(opened.ann.token)
    await expect.poll(() => ann.last('users-online')).toContain(opened.ann.userId)
    const ben = await connectBen()
    await expect.poll(() => ann.last('users-online')).toContain(opened.ben.userId)
    expect(await isOnline(opened.ben.userId)).toBe(true)
    ben.socket.close()
    await expect.poll(() => ann.last('users-online')).not.toContain(opened.ben.userId)
    const { body } = await opened.app.call('GET', `/api/users/${opened.ben.userId}/activity`, {
      token: opened.ann.token,
    })
    expect(body).toEqual({ isOnline: false, lastSeen: expect.any(String) })
  })

  it('lasts while one device of several is connected', async () => {
    const [phone, laptop] = [await connectBen(), await connectBen()]
    const cyd = await opened.app.register('Cyd')
    const cydsPhone = await connect(cyd.token)
    const ann = await connect(opened.ann.token)
    await expect.poll(() => ann.last('users-online')).toContain(opened.ben.userId)
    await expect.poll(() => ann.last('users-online')).toContain(cyd.userId)
    const told = ann.heard.length
    phone.socket.close()
    await phone.closed
    // Once the later goodbye is told, the earlier one must have been.
    cydsPhone.socket.close()
    await expect.poll(() => ann.last('users-online')).not.toContain(cyd.userId)
    laptop.say('typing', { recipientId: opened.ben.userId })
    await expect.poll(() => laptop.count('user-typing')).toBe(1)
    expect(await isOnline(opened.ben.userId)).toBe(true)
    const lists = ann.heard.slice(told).filter(({ event }) => event === 'users-online')
    for (const { data } of lists) expect(data).toContain(opened.ben.userId)
  })
})

describe('typing', () => {
  it('reaches the one it is for, by its sender’s own id', async () => {
    const ann = await connect(opened.ann.token)
    const ben = await connectBen()
    ann.say('typing', { recipientId: opened.ben.userId, userId: 'forged' })
    await expect.poll(() => ben.last('user-typing')).toEqual({ userId: opened.ann.userId })
    ann.say('stop-typing', { recipientId: opened.ben.userId })
    await expect.poll(() => ben.last('user-stop-typing')).toEqual({ userId: opened.ann.userId })
    expect(ann.count('user-typing')).toBe(0)
  })

  it('P12: is told as often as the app says it, however often a device does', async () => {
    const { userId, token } = await opened.app.register('Flo')
    const [flo, ben] = [await connect(token), await connectBen()]
    const begunAt = performance.now()
    for (let time = 0; time < 200; time += 1) flo.say('typing', { recipientId: opened.ben.userId })
    // Frames of one socket are handled in turn.
    flo.say('stop-typing', { recipientId: opened.ben.userId })
    await expect.poll(() => ben.last('user-stop-typing')).toEqual({ userId })
    const told = ben.count('user-typing')
    expect(told).toBeGreaterThan(0)
    // One, unless the machine is so busy that it took longer.
    const most = 1 + (performance.now() - begunAt) / limits.typingEmitEveryMs
    expect(told).toBeLessThanOrEqual(most)
    flo.say('typing', { recipientId: opened.ben.userId })
    await expect.poll(() => ben.count('user-typing')).toBe(told + 1)
  })
})

describe('idle sockets', () => {
  it('P9: keep no database open', async () => {
    const many = await Promise.all(
      Array.from({ length: limits.socketsPerPersonMax }, () => connect(opened.ann.token)),
    )
    expect(many.every(({ socket }) => socket.readyState === socket.OPEN)).toBe(true)
    await expect.poll(() => opened.app.stats().openDatabases).toBe(0)
  })
})

describe('messages', () => {
  it('P4: sent by a socket are hinted to the recipient, and stored', async () => {
    const ann = await connect(opened.ann.token)
    const ben = await connectBen()
    const { userId: recipientId } = opened.ben
    ann.say('send-message', { recipientId, message: 'hello' })
    await expect
      .poll(() => ben.last('receive-message'))
      .toMatchObject({
        senderId: opened.ann.userId,
        senderUsername: 'Ann',
        content: 'hello',
        type: 'text',
      })
    expect(ann.count('receive-message')).toBe(0)
  })

  it('P2: sent twice with one id are one message', async () => {
    const ann = await connect(opened.ann.token)
    const ben = await connectBen()
    const { userId: recipientId } = opened.ben
    const message = { _id: '01890000-0000-7000-8000-0000000000aa', content: 'once' }
    ann.say('send-message', { recipientId, message })
    ann.say('send-message', { recipientId, message })
    // The frames of one socket are begun in turn, and may end in any.
    await expect.poll(() => ben.last('receive-message')).toMatchObject({ content: 'once' })
    ann.say('send-message', { recipientId, message: 'the last one' })
    await expect.poll(() => ben.last('receive-message')).toMatchObject({ content: 'the last one' })
    expect(ben.count('receive-message')).toBe(2)
  })

  it('P6: that are refused are told to their author', async () => {
    const ann = await connect(opened.ann.token)
    const message = { _id: '01890000-0000-7000-8000-0000000000ab', content: '  ' }
    ann.say('send-message', { recipientId: opened.ben.userId, message })
    await expect
      .poll(() => ann.last('message-refused'))
      .toMatchObject({
        messageId: message._id,
        code: 'empty',
      })
  })
})
