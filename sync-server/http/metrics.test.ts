import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { proposeMessage } from '../messages/proposals/proposal.ts'
import { openTestSocket } from '../testing/open-test-socket.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'

const token = 'what Prometheus knows'
const opened = {} as { app: TestApp; guarded: TestApp; ann: TestPerson; ben: TestPerson }
beforeAll(async () => {
  opened.app = await startTestApp({}, { idleCloseMs: 100 })
  opened.guarded = await startTestApp({ METRICS_TOKEN: token })
  opened.ann = await opened.app.register('Ann')
  opened.ben = await opened.app.register('Ben')
})
afterAll(() => Promise.all([opened.app.close(), opened.guarded.close()]))

/** The value of one metric line; undefined when there is none. */
async function read(line: string): Promise<number | undefined> {
  const { text } = await opened.app.call('GET', '/metrics')
  const found = text.split('\n').find((one) => one.startsWith(`${line} `))
  return found === undefined ? undefined : Number(found.slice(line.length + 1))
}

function push(content: string) {
  const message = { content, _id: uuidv7() }
  const { raw } = proposeMessage({
    senderId: opened.ann.userId,
    recipientId: opened.ben.userId,
    message,
  })
  const body = { docs: [raw] }
  return opened.app.call('POST', '/sync/messages/_bulk_docs', { token: opened.ann.token, body })
}

describe('/metrics', () => {
  it('counts requests by their route, never by their address', async () => {
    await opened.app.call('GET', '/api/users/search/secretive', { token: opened.ann.token })
    const line =
      'petrel_http_request_seconds_count{method="GET",route="/api/users/search/{query}",status="200"}'
    await expect.poll(() => read(line)).toBe(1)
    expect((await opened.app.call('GET', '/metrics')).text).not.toContain('secretive')
  })

  it('counts what is pushed and what is refused, by its reason', async () => {
    await push('well said')
    await push('   ')
    await opened.app.call('GET', '/api/users/me')
    await opened.app.call('GET', '/sync/others/', { token: opened.ann.token })
    await expect
      .poll(() => read('petrel_accepted_batch_documents_sum{collection="messages"}'))
      .toBe(2)
    await expect.poll(() => read('petrel_refusals_total{door="messages",reason="empty"}')).toBe(1)
    const reasons = ['authentication_required', 'not_found']
    for (const reason of reasons) {
      await expect.poll(() => read(`petrel_refusals_total{door="http",reason="${reason}"}`)).toBe(1)
    }
  })

  it('shows sockets, people, waiting feeds and open databases as they are', async () => {
    const ann = await openTestSocket({ url: opened.app.url, token: opened.ann.token })
    await expect.poll(() => read('petrel_sockets')).toBe(1)
    await expect.poll(() => read('petrel_people_online')).toBe(1)
    const { body } = await opened.app.call('GET', '/sync/messages/', { token: opened.ben.token })
    const path = `/sync/messages/_changes?feed=longpoll&since=${body.update_seq}`
    const waiting = opened.app.call('GET', path, { token: opened.ben.token })
    await expect.poll(() => read('petrel_waiting_feeds')).toBe(1)
    await expect.poll(() => read('petrel_open_databases')).toBe(0)
    await push('news')
    expect((await waiting).body.results).toHaveLength(1)
    const line =
      'petrel_http_request_seconds_count{method="GET",route="/sync/messages/_changes (waits)",status="200"}'
    await expect.poll(() => read(line)).toBe(1)
    ann.socket.close()
    await expect.poll(() => read('petrel_sockets')).toBe(0)
  })

  it('shows the process, and can be read twice', async () => {
    expect(await read('process_resident_memory_bytes')).toBeGreaterThan(0)
    const before = (await read('process_cpu_seconds_total')) ?? Number.NaN
    expect(await read('process_cpu_seconds_total')).toBeGreaterThanOrEqual(before)
    expect(await read('petrel_event_loop_delay_p99_seconds')).toBeGreaterThanOrEqual(0)
  })

  it.each(['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'])(
    'is not there for what a proxy passes on: %s',
    async (name) => {
      const headers = { [name]: '127.0.0.1' }
      const answer = await opened.app.call('GET', '/metrics', { headers })
      expect(answer.status).toBe(404)
    },
  )

  it('with METRICS_TOKEN is for whoever knows it, from anywhere', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    const known = await opened.guarded.call('GET', '/metrics', { token, headers })
    expect(known.status).toBe(200)
    expect(known.headers.get('content-type')).toContain('text/plain')
    for (const guess of [undefined, '', `${token}x`, token.slice(1)]) {
      const asked = guess === undefined ? {} : { token: guess }
      expect((await opened.guarded.call('GET', '/metrics', asked)).status).toBe(404)
    }
  })
})
