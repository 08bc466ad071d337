import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createKeyValueStorage } from '../database/storage/key-value-storage.ts'
import { createApi } from './api.ts'
import { createSessionStore } from './session-store.ts'
import { testSession } from './test-session.ts'

interface Asked {
  line: string
  headers: IncomingHttpHeaders
  body: string
}

/** For tests: a server that answers everything alike, and the library with Ann signed in. */
export async function openTestAnswers(answer: { status: number; body?: string; waits?: boolean }) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => {
      body += piece
    })
    request.on('end', () => {
      asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body })
      if (!answer.waits) response.writeHead(answer.status).end(answer.body ?? '<html>')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const sessions = createSessionStore({
    kept: createKeyValueStorage(),
    passing: createKeyValueStorage(),
  })
  sessions.set(testSession, { keepSignedIn: true })
  const waited: number[] = []
  const options = {
    serverUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fetch,
    sessions,
    wait: async (ms: number) => void waited.push(ms),
  }
  return { asked, sessions, waited, options, api: createApi(options) }
}
