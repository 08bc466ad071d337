import type { AppOverrides } from '../app-overrides.ts'
import { startCouch } from './couch/start-couch.ts'
import { startRedis } from './start-redis.ts'
import { startTestApp } from './start-test-app.ts'

export type TestServers = Awaited<ReturnType<typeof startTestServers>>

/** For tests: two servers in this process that share one CouchDB and one Redis. */
export async function startTestServers(
  env: Record<string, string> = {},
  overrides: AppOverrides = {},
) {
  const [couch, redis] = await Promise.all([startCouch(), startRedis()])
  const shared = {
    COUCHDB_URL: couch.url,
    REDIS_URL: redis.url,
    JWT_SECRET: 'a secret that both of the test servers know',
    ...env,
  }
  const closeShared = () => Promise.all([redis.close(), couch.close()])
  try {
    const one = await startTestApp(shared, overrides)
    const two = await startTestApp(shared, overrides)
    return {
      one,
      two,
      redis,
      async close() {
        await Promise.all([one.close(), two.close()])
        await closeShared()
      },
    }
  } catch (error) {
    await closeShared()
    throw error
  }
}
