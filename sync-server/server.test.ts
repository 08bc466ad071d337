import { expect, it } from 'vitest'
import { limitUploadMs } from '../schema/api/limit-upload-ms.ts'
import { readSettings } from './config.ts'
import { createServer } from './server.ts'

const longestTimerMs = 2 ** 31 - 1

it.each(['25', '2048'])('the server waits longer for %s MiB than a device does', (megabytes) => {
  const settings = readSettings({ UPLOAD_LIMIT_MB: megabytes })
  const server = createServer({ app: () => undefined, settings })
  expect(server.requestTimeout).toBeGreaterThan(limitUploadMs(settings.uploadLimitBytes))
  expect(server.requestTimeout).toBeLessThan(longestTimerMs)
  expect(server.headersTimeout).toBeLessThanOrEqual(60_000)
})
