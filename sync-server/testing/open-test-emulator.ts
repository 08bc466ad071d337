import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type EmulatorOptions, startEmulator } from '../tools/whatsapp-emulator/emulator.ts'

export interface HeardWebhook {
  body: string
  headers: IncomingHttpHeaders
}

/** For tests: an emulator with a stopped clock, and a listener for its webhooks. */
export async function openTestEmulator(options: EmulatorOptions = {}) {
  const faults: unknown[] = []
  const emulator = await startEmulator({
    port: 0,
    clock: 'manual',
    startAt: Date.UTC(2026, 10, 20, 10),
    onError: (error) => faults.push(error),
    ...options,
  })
  const heard: HeardWebhook[] = []
  /** The listener's next answers; 200 once they are used up. */
  const answers: number[] = []
  const listener = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1')
    if (request.method === 'GET') {
      const isKnown = url.searchParams.get('hub.verify_token') === emulator.account.verifyToken
      response.writeHead(isKnown ? 200 : 403).end(url.searchParams.get('hub.challenge'))
      return
    }
    const parts: string[] = []
    request.setEncoding('utf8')
    request.on('data', (part: string) => parts.push(part))
    request.on('end', () => {
      heard.push({ body: parts.join(''), headers: request.headers })
      response.writeHead(answers.shift() ?? 200).end()
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  const webhookUrl = `http://127.0.0.1:${port}/api/webhooks/whatsapp`

  async function call(
    method: string,
    path: string,
    request: { body?: unknown; token?: string | null; text?: string } = {},
  ) {
    const { body, token = emulator.account.accessToken, text } = request
    const sent = text ?? (body === undefined ? null : JSON.stringify(body))
    const response = await fetch(`${emulator.url}${path}`, {
      method,
      headers: {
        ...(sent !== null && { 'content-type': 'application/json' }),
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
      body: sent,
    })
    const answer = await response.text()
    // Tests inspect answers whose shape is under test.
    return { status: response.status, headers: response.headers, body: JSON.parse(answer) }
  }

  /** Everything received, parsed: every value in order. */
  const values = () =>
    heard.flatMap(({ body }) =>
      JSON.parse(body).entry.flatMap((entry: { changes: { value: unknown }[] }) =>
        entry.changes.map(({ value }) => value),
      ),
    )

  const { numberId } = emulator.account
  return {
    emulator,
    heard,
    answers,
    faults,
    webhookUrl,
    call,
    values,
    /** The received statuses, in order. */
    statuses: (): string[] =>
      values().flatMap((value: { statuses?: { status: string }[] }) =>
        (value.statuses ?? []).map(({ status }) => status),
      ),
    listen: () => emulator.configure({ webhookUrl }),
    send: (message: Record<string, unknown>) =>
      call('POST', `/v25.0/${numberId}/messages`, {
        body: { messaging_product: 'whatsapp', ...message },
      }),
    async close() {
      await emulator.close()
      await new Promise<void>((resolve) => {
        listener.close(() => resolve())
        listener.closeAllConnections()
      })
    },
  }
}
