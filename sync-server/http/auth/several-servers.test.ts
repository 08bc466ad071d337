import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDevice } from '../../testing/open-test-device.ts'
import type { TestPerson } from '../../testing/start-test-app.ts'
import { startTestServers, type TestServers } from '../../testing/start-test-servers.ts'

const opened = {} as { servers: TestServers; ann: TestPerson }
beforeAll(async () => {
  // A server or a Redis that stands still for two seconds would make the link unknown.
  opened.servers = await startTestServers({}, { deviceLinkAnswersWithinMs: 10_000 })
  opened.ann = await opened.servers.two.register('Ann')
})
afterAll(() => opened.servers.close())

const path = (id: string) => `/api/users/me/device-links/${id}`

it('a device that waits at one server is confirmed at another, once', async () => {
  const { one, two } = opened.servers
  const { token } = opened.ann
  const device = await openTestDevice(one)
  const atTwo = device.wait('waiting', two)
  expect((await two.call('POST', path(device.id), { token })).body.state).toBe('scanned')
  expect((await atTwo).body).toMatchObject({ state: 'scanned', username: 'Ann' })
  const confirm = (server: typeof one) =>
    server.call('PUT', path(device.id), { token, body: { isAllowed: true } })
  const both = await Promise.all([confirm(one), confirm(two)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  const signedIn = await device.complete({ at: two })
  expect(signedIn.body.user.username).toBe('Ann')
  const done = await one.call('GET', `${path(device.id)}?seen=approved`, { token })
  expect(done.body.state).toBe('done')
})

it('a code that no server knows is unknown at each', async () => {
  const { token } = opened.ann
  const answer = await opened.servers.two.call('POST', path('A'.repeat(22)), { token })
  expect(answer.body.code).toBe('device_link_unknown')
})
