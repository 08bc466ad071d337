import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { limitUploadMs } from '../schema/limit-upload-ms.ts'
import type { Settings } from './config.ts'

/** The device is to give up first: it knows what its person should read. */
const afterDeviceMs = 60_000

/** HTTP, or HTTPS. Node would end every request after five minutes; the largest file may take as long as it needs. */
export function createServer(options: {
  app: RequestListener
  settings: Pick<Settings, 'tls' | 'uploadLimitBytes'>
}): Server {
  const { tls, uploadLimitBytes } = options.settings
  const server = tls ? createHttpsServer(tls, options.app) : createHttpServer(options.app)
  server.requestTimeout = limitUploadMs(uploadLimitBytes) + afterDeviceMs
  return server
}
