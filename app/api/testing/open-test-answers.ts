import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { SignedIn } from '../../../schema/api/auth.ts'
import { createKeyValueStorage } from '../../database/storage/key-value-storage.ts'
import { createApi } from '../api.ts'
import { createSessionStore } from '../session-store.ts'

/** For tests: Ann's sign-in. */
export const testSession: SignedIn = {
  token: 'a.b.c',
  user: {
    _id: '01900000-0000-7000-8000-00000000000a',
    username: 'Ann',
    email: 'ann@example.org',
    status: '',
    profilePicture: null,
    isOnline: true,
    lastSeen: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    whatsapp_connected: false,
    settings: {},
  },
}

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
