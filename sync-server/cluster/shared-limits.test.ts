import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestApp, TestPerson } from '../testing/start-test-app.ts'
import { startTestServers, type TestServers } from '../testing/start-test-servers.ts'

const opened = {} as { servers: TestServers; ann: TestPerson; ben: TestPerson }
beforeAll(async () => {
  opened.servers = await startTestServers({ MESSAGE_RATE: '2', STORAGE_QUOTA_MB: '1' })
  opened.ann = await opened.servers.one.register('Ann')
  opened.ben = await opened.servers.two.register('Ben')
})
afterAll(() => opened.servers.close())

const say = (server: TestApp, content = 'hello') => {
  const body = { recipientId: opened.ben.userId, content }
  return server.call('POST', '/api/messages', { token: opened.ann.token, body })
}
const readUsage = (server: TestApp) =>
  server.call('GET', '/api/users/me/usage', { token: opened.ann.token })
const readUsed = async (server: TestApp) => {
  const { body } = await readUsage(server)
  return body.messageBytes as number
}

it('P12: what somebody sends at one server counts at the others', async () => {
  const { one, two } = opened.servers
  for (const _ of '1234') expect((await say(one)).status).toBe(201)
  const readLeft = async () => (await readUsage(two)).headers.get('ratelimit-remaining')
  await expect.poll(readLeft).toBe('0')
  expect((await say(two)).status).toBe(429)
})

it('P12: what somebody has stored is the same at each server, also after a restart', async () => {
  const { one, two } = opened.servers
  const path = '/sync/messages/_all_docs?include_docs=true'
  const { body } = await one.call('GET', path, { token: opened.ann.token })
  const own = body.rows as { doc: Record<string, unknown> }[]
  const bytes = own.map(({ doc: { _rev, ...doc } }) => Buffer.byteLength(JSON.stringify(doc)))
  const sum = bytes.reduce((total, one) => total + one, 0)
  expect(await readUsed(one)).toBe(sum)
  // Each server notes it every few seconds, and reads a little later.
  await expect.poll(() => readUsed(two), { timeout: 40_000 }).toBe(sum)
  await one.restart()
  expect(await readUsed(one)).toBe(sum)
})
