import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { startEmulator } from '../../../sync-server/tools/whatsapp-emulator/emulator.ts'
import { settingsForEmulator } from '../../../sync-server/tools/whatsapp-emulator/settings-for-emulator.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { waitUntil } from '../browser/wait-until.ts'
import { readMetric } from '../server/read-metric.ts'
import { registerAccount } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'
import { startBareServer } from './floors/start-bare-server.ts'

const perSecond = 1_000
const seconds = 30
const warmUpSeconds = 2
const customers = 500
/**
 * One repeat per this many webhooks: alternately byte for byte, and the same message in another
 * webhook.
 */
const repeatedEvery = 20
const begunAtSeconds = String(Math.floor(Date.now() / 1_000))
/**
 * The server accepts 256 parallel requests per network of strangers; Meta uses several networks.
 */
const connections = 200
const patienceMs = 10 * 60_000

interface Webhook {
  path: string
  body: string
  headers: Record<string, string>
}

/**
 * Half a minute of customers' messages to one business number, a thousand webhooks a second, some
 * repeated: how long Meta waits for answers, what is stored, and the processing backlog.
 */
export async function measure(): Promise<Figure[]> {
  const bare = await startBareServer()
  const floor = await send(bare.origin, perSecond * 5, (index) => ({
    path: '/messages',
    headers: {},
    body: writeWebhook('102290129340398', `bare${index}`, index),
  }))
  await bare.close()

  const emulator = await startEmulator({ port: 0 })
  const { account } = emulator
  const server = await startBuiltServer({
    env: settingsForEmulator(emulator),
  })
  const { origin } = server
  const operator = await registerAccount(origin, 'ann')
  await link(origin, operator.token, account.numberId)
  const sent = new Set<string>()
  const write = (wamid: string, copy = 0) => {
    sent.add(wamid)
    const body = writeWebhook(account.numberId, wamid, Number(wamid.split('-')[1]), copy)
    const sum = createHmac('sha256', account.appSecret).update(body).digest('hex')
    const headers = { 'x-hub-signature-256': `sha256=${sum}` }
    return { path: '/api/webhooks/whatsapp', body, headers }
  }
  await send(origin, perSecond * warmUpSeconds, (index) => write(`wamid.warm-${index}`))

  const lags: number[] = []
  const watching = new AbortController()
  const watched = watchLag(origin, lags, watching.signal)
  const tookMs = await send(origin, perSecond * seconds, (index) => {
    const isRepeated = index % repeatedEvery === repeatedEvery - 1
    if (!isRepeated) return write(`wamid.bench-${index}`)
    return write(`wamid.bench-${index - 1}`, (index + 1) % (2 * repeatedEvery) === 0 ? 0 : 1)
  })
  const endedAt = performance.now()
  await waitUntil(
    'all is processed',
    async () => (await readMetric(origin, 'petrel_webhooks_pending')) === 0,
    patienceMs,
  )
  const behindMs = performance.now() - endedAt
  watching.abort()
  await watched
  const info = await fetch(`${origin}/sync/messages/`, {
    headers: { authorization: `Bearer ${operator.token}` },
  })
  const { doc_count: stored } = (await info.json()) as { doc_count: number }
  const failed = await readMetric(origin, 'petrel_webhooks_failed_total')
  await server.close()
  await emulator.close()

  const answers = `${perSecond} webhooks a second for ${seconds} s`
  const beside = (share: number) => [{ what: 'bare Express', value: takePercentile(floor, share) }]
  return [
    {
      what: `${answers}: until the answer, p50`,
      value: takePercentile(tookMs, 0.5),
      unit: 'ms',
      floors: beside(0.5),
    },
    {
      what: `${answers}: until the answer, worst`,
      value: takePercentile(tookMs, 1),
      unit: 'ms',
      floors: beside(1),
      target: { atMost: 1_000 },
    },
    {
      what: 'messages stored of those that were sent, each once',
      value: stored,
      unit: 'messages',
      floors: [{ what: 'sent', value: sent.size }],
      target: { atLeast: sent.size },
    },
    {
      what: 'messages stored more than once',
      value: Math.max(stored - sent.size, 0),
      unit: 'messages',
      target: { atMost: 0 },
    },
    {
      what: 'webhooks whose processing failed',
      value: failed,
      unit: 'requests',
      target: { atMost: 0 },
    },
    { what: 'from arrival to processed, worst', value: Math.max(...lags) * 1_000, unit: 'ms' },
    { what: 'processed after the last came', value: behindMs, unit: 'ms' },
  ]
}

/**
 * Sends each on schedule, without waiting for earlier answers.
 * @returns how long each took, in ms
 */
async function send(origin: string, count: number, next: (index: number) => Webhook) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const tookMs: number[] = []
  const under = new Set<Promise<void>>()
  const failure: { error?: unknown } = {}
  const startedAt = performance.now()
  for (let index = 0; index < count && !failure.error; index++) {
    const dueAt = startedAt + (index * 1_000) / perSecond
    const leftMs = dueAt - performance.now()
    if (leftMs > 1) await pause(leftMs)
    const begunAt = Math.min(dueAt, performance.now())
    const one = post(origin, agent, next(index)).then(
      () => void tookMs.push(performance.now() - begunAt),
      (error: unknown) => {
        failure.error = error
      },
    )
    under.add(one)
    void one.then(() => under.delete(one))
  }
  await Promise.all(under)
  agent.destroy()
  if (failure.error) throw failure.error
  return tookMs
}

async function post(origin: string, agent: Agent, { path, body, headers }: Webhook) {
  const length = Buffer.byteLength(body)
  const asked = request(`${origin}${path}`, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': length, ...headers },
  })
  asked.end(body)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  const { statusCode = 0 } = response
  if (statusCode !== 200 && statusCode !== 201) throw new Error(`${path}: ${statusCode}`)
}

async function link(origin: string, token: string, phoneNumberId: string) {
  const number = '15550783881'
  const answer = await fetch(`${origin}/api/users/link-whatsapp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      wa_id: number,
      phone_number: number,
      phone_number_id: phoneNumberId,
    }),
  })
  if (!answer.ok) throw new Error(`link-whatsapp: ${answer.status} ${await answer.text()}`)
}

async function watchLag(origin: string, lags: number[], signal: AbortSignal) {
  while (!signal.aborted) {
    lags.push(await readMetric(origin, 'petrel_webhook_lag_seconds'))
    await pause(250)
  }
}

/** One customer text, as Meta sends it. @param copy makes other bytes of the same message */
function writeWebhook(numberId: string, wamid: string, index: number, copy = 0): string {
  const from = String(4_915_550_000_000 + (index % customers))
  const message = {
    from,
    id: wamid,
    timestamp: begunAtSeconds,
    type: 'text',
    text: { body: 'as many words as people write in one message of a chat' },
  }
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550783881', phone_number_id: numberId },
    contacts: [
      { profile: { name: `Customer ${index % customers}${'.'.repeat(copy)}` }, wa_id: from },
    ],
    messages: [message],
  }
  return JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '102290129340398', changes: [{ field: 'messages', value }] }],
  })
}
