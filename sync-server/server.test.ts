import { expect, it } from 'vitest'
import { limitUploadMs } from '../schema/api/wire.ts'
import { readSettings } from './config.ts'
import { createServer } from './create-app.ts'

const longestTimerMs = 2 ** 31 - 1

it.each(['25', '2048'])('the server waits longer for %s MiB than a device does', (megabytes) => {
  const settings = readSettings({ UPLOAD_LIMIT_MB: megabytes })
  const server = createServer({ app: () => undefined, settings })
  expect(server.requestTimeout).toBeGreaterThan(limitUploadMs(settings.uploadLimitBytes))
  expect(server.requestTimeout).toBeLessThan(longestTimerMs)
  expect(server.headersTimeout).toBeLessThanOrEqual(60_000)
})

it('a connection is kept longer than a proxy in front keeps it', () => {
  const server = createServer({
    app: () => undefined,
    settings: readSettings({ TRUST_PROXY: '1' }),
  })
  expect(server.keepAliveTimeout).toBeGreaterThan(60_000)
})
