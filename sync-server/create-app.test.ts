import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from './lib/log.ts'
import { proposeMessage } from './messages/proposals/proposal.ts'
import { openTestSocket } from './testing/open-test-socket.ts'
import { startTestApp, type TestApp, type TestPerson } from './testing/start-test-app.ts'

const opened = { lines: [] as string[] } as {
  app: TestApp
  ann: TestPerson
  ben: TestPerson
  lines: string[]
}
beforeAll(async () => {
  const log = createLog('trace', { write: (line) => void opened.lines.push(line) })
  opened.app = await startTestApp({}, { log })
  opened.ann = await opened.app.register('Ann')
  opened.ben = await opened.app.register('Ben')
})
afterAll(() => opened.app.close())

function push(content: string) {
  const { raw } = proposeMessage({
    senderId: opened.ann.userId,
    recipientId: opened.ben.userId,
    message: { content },
  })
  const { token } = opened.ann
  return opened.app.call('POST', '/sync/messages/_bulk_docs', { token, body: { docs: [raw] } })
}

async function readBens() {
  const path = '/sync/messages/_all_docs?include_docs=true'
  const { body } = await opened.app.call('GET', path, { token: opened.ben.token })
  return body.rows.map((row: { doc: { content: string } }) => row.doc.content)
}

const poll = (token: string, since: unknown) =>
  opened.app.call('GET', `/sync/messages/_changes?feed=longpoll&include_docs=true&since=${since}`, {
    token,
  })

describe('the joined server', () => {
  it('P4: brings a pushed message to a waiting poll, and hints it by socket', async () => {
    const ben = await openTestSocket({ url: opened.app.url, token: opened.ben.token })
    await ben.untilGreeted()
    const now = await opened.app.call('GET', '/sync/messages/', { token: opened.ben.token })
    const waiting = poll(opened.ben.token, now.body.update_seq)
    expect((await push('over the wire')).status).toBe(201)
    expect((await waiting).body.results[0].doc).toMatchObject({
      content: 'over the wire',
      peerId: opened.ann.userId,
    })
    await expect
      .poll(() => ben.last('receive-message'))
      .toMatchObject({ content: 'over the wire', senderUsername: 'Ann' })
    ben.socket.close()
  })

  it('P3: keeps what it acknowledged when it is killed, and forgets nobody', async () => {
    expect((await push('before the kill')).status).toBe(201)
    const idle = await opened.app.register('Cyd')
    const cut = poll(idle.token, 'now').catch(() => 'cut off')
    const under = Array.from({ length: 20 }, (_, i) => push(`under way ${i}`).catch(() => null))
    await Promise.race(under)
    await opened.app.killAndStart()
    expect(await cut).toBe('cut off')
    const acknowledged = (await Promise.all(under)).flatMap((answer, i) =>
      answer?.status === 201 ? [`under way ${i}`] : [],
    )
    const kept = await readBens()
    expect(kept).toEqual(expect.arrayContaining(['before the kill', ...acknowledged]))
    expect(new Set(kept).size).toBe(kept.length)
    const me = await opened.app.call('GET', '/api/users/me', { token: opened.ann.token })
    expect(me.status).toBe(200)
  })

  it('stops in order: answers polls, closes sockets, remembers who was there', async () => {
    const ann = await openTestSocket({ url: opened.app.url, token: opened.ann.token })
    const now = await opened.app.call('GET', '/sync/messages/', { token: opened.ben.token })
    const waiting = poll(opened.ben.token, now.body.update_seq)
    const isUnderWay = () =>
      opened.app.call('GET', `/api/users/${opened.ann.userId}`, { token: opened.ben.token })
    await expect.poll(async () => (await isUnderWay()).body.isOnline).toBe(true)
    const readMetrics = async () => (await opened.app.call('GET', '/metrics')).text
    await expect.poll(readMetrics).toMatch(/^petrel_waiting_feeds 1$/m)
    await opened.app.restart()
    expect((await waiting).body.results).toEqual([])
    expect(await ann.closed).toBe(1001)
    expect((await isUnderWay()).body).toMatchObject({
      isOnline: false,
      lastSeen: expect.any(String),
    })
  })

  it('stops although a socket never says goodbye', async () => {
    const { port } = opened.app
    const silent = connect(port, '127.0.0.1')
    silent.on('error', () => undefined)
    silent.write(
      [
        'GET / HTTP/1.1',
        `Host: 127.0.0.1:${port}`,
        'Upgrade: websocket',
        'Connection: Upgrade',
        `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Protocol: petrel.v1, bearer.${opened.ann.token}`,
        '\r\n',
      ].join('\r\n'),
    )
    await once(silent, 'data')
    await expect.poll(() => opened.app.stats().sockets).toBe(1)
    await opened.app.restart()
    expect(opened.app.stats().sockets).toBe(0)
    silent.destroy()
  })

  it('says so when its port is taken', async () => {
    const second = startTestApp({ PORT: String(opened.app.port) })
    await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('logs each request by its route, and neither secrets nor words', async () => {
    await push('between us')
    await opened.app.call('GET', '/api/users/search/secretive', { token: opened.ann.token })
    await expect.poll(() => opened.lines.join('')).toContain('"route":"/api/users/search/{query}"')
    const text = opened.lines.join('')
    expect(text).toContain('"route":"/api/auth/register"')
    for (const secret of ['between us', 'secretive', opened.ann.password, opened.ann.token]) {
      expect(text).not.toContain(secret)
    }
  })
})
