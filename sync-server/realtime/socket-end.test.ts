import { afterAll, expect, it } from 'vitest'
import { createTokenKeeper } from '../access/token-keeper.ts'
import { openTestSocket } from '../testing/open-test-socket.ts'
import { startTestApp } from '../testing/start-test-app.ts'

const secret = 'a secret that is long enough for all'
const app = await startTestApp({ JWT_SECRET: secret })
afterAll(() => app.close())

it('a socket closes with 4401 when its token is over, and no sooner', async () => {
  const { userId, token } = await app.register('Ann')
  const { sid } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  const long = await openTestSocket({ url: app.url, token })
  const expiresAt = Date.now() + 5_000
  const brief = createTokenKeeper({ secret }).sign({ userId, sessionId: sid }, expiresAt)
  const short = await openTestSocket({ url: app.url, token: brief })
  expect(await short.closed).toBe(4401)
  expect(short.count('users-online')).toBeGreaterThan(0)
  expect(long.socket.readyState).toBe(long.socket.OPEN)
  long.socket.close()
  await long.closed
})
