import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { limitUploadMs } from '../schema/api/limit-upload-ms.ts'
import type { Settings } from './config.ts'

/** The device should give up first: it knows what to tell its person. */
const afterDeviceMs = 60_000
/** Long enough for the slowest line: a head is a few hundred bytes. */
const headMs = 20_000
const lookEveryMs = 5_000

/**
 * HTTP, or HTTPS. The largest file may take as long as it needs; the transfer watch ends bodies
 * that are too slow for their size long before.
 */
export function createServer(options: {
  app: RequestListener
  settings: Pick<Settings, 'tls' | 'uploadLimitBytes'>
}): Server {
  const { tls, uploadLimitBytes } = options.settings
  const timing = {
    headersTimeout: headMs,
    requestTimeout: limitUploadMs(uploadLimitBytes) + afterDeviceMs,
    connectionsCheckingInterval: lookEveryMs,
  }
  return tls
    ? createHttpsServer({ ...tls, ...timing, handshakeTimeout: headMs }, options.app)
    : createHttpServer(timing, options.app)
}
