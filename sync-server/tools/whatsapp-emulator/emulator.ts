import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { createControl, type EmulatorControl } from './control/control.ts'
import { createControlRoutes } from './control/control-routes.ts'
import { createPhonePage } from './control/phone-page.ts'
import { answerGraph } from './graph/answer-graph.ts'
import { checkToken } from './graph/check-token.ts'
import type { GraphReply } from './graph/graph-call.ts'
import { serveFile } from './graph/media-answers.ts'
import { createEmulation, type Emulation } from './state/emulation.ts'
import { emulatorAccount } from './state/emulator-config.ts'
import { GraphFault, refuseUnknownNode } from './wire/graph-fault.ts'

export interface EmulatorOptions {
  /** 0 for any free one. */
  port?: number
  /** `manual` only moves by `advance`; `running` follows this machine's clock. */
  clock?: 'manual' | 'running'
  /** Its initial time, epoch ms. */
  startAt?: number
  /** The same seed and the same calls give the same ids. */
  seed?: number
  /** The required `X-Emulator-Key`; none unless set. */
  controlKey?: string
  onError?: (error: unknown) => void
}

export interface Emulator extends EmulatorControl {
  /** The value for `WHATSAPP_GRAPH_BASE_URL`, without a slash at the end. */
  url: string
  account: typeof emulatorAccount
  /** Its time, epoch ms. */
  now(): number
  close(): Promise<void>
}

/** 100 MB for a document, plus its envelope. */
const bodyMaxBytes = 110 * 1024 * 1024

/**
 * A WhatsApp Cloud API on this machine, with people who answer. Replaces Meta wherever its address
 * is used.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { port = 4010, clock = 'running', startAt = Date.now(), seed = 1 } = options
  const faults: unknown[] = []
  const onError = options.onError ?? ((error: unknown) => faults.push(error))
  const emulation = createEmulation({
    clock: { isManual: clock === 'manual', startAt, onError },
    seed,
  })
  const control = createControl(emulation)
  const app = express().disable('x-powered-by').set('query parser', 'simple')
  app.use(express.raw({ type: () => true, limit: bodyMaxBytes }))
  app.use('/__emulator__', refuseStrangers(options.controlKey))
  app.use('/__emulator__', createPhonePage(emulation, control))
  app.use('/__emulator__', createControlRoutes(emulation, control))
  app.use((request, response) => answer(emulation, request, response))
  const server = createServer(app)
  await listen(server, port)
  const { port: listening } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${listening}`
  emulation.place.url = url
  return {
    ...control,
    url,
    account: emulatorAccount,
    now: emulation.clock.now,
    async close() {
      emulation.clock.clear()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

async function listen(server: Server, port: number) {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // Loopback only: its secrets are public.
    server.listen(port, '127.0.0.1', resolve)
  })
}

function refuseStrangers(key: string | undefined): RequestHandler {
  return (request, response, next) => {
    const isKeyRight = key === undefined || request.headers['x-emulator-key'] === key
    if (isKeyRight && isFromHere(request)) next()
    else response.status(403).json({ error: 'The emulator is controlled from this machine only.' })
  }
}

async function answer(emulation: Emulation, request: Request, response: Response) {
  const { state } = emulation
  const traceId = `A${state.random.hex('trace', 20)}`
  const reply = await decide(emulation, request, response, traceId).catch((error: unknown) => {
    if (!(error instanceof GraphFault)) throw error
    if ([0, 102, 104, 190].includes(error.code)) {
      const words = error.message.replaceAll('"', "'")
      response.set('www-authenticate', `OAuth "Facebook Platform" "invalid_token" "${words}"`)
    }
    return { kind: 'json', status: error.status, body: error.toBody(traceId) } as const
  })
  send(request, response, reply)
}

async function decide(
  emulation: Emulation,
  request: Request,
  response: Response,
  traceId: string,
): Promise<GraphReply> {
  const url = new URL(request.originalUrl, emulation.place.url)
  const { headers, method } = request
  const query = url.searchParams
  const token = readToken(headers.authorization, query)
  if (url.pathname === '/lookaside/whatsapp_business/attachments/') {
    const isAuthorized = token === emulation.config.accessToken
    return serveFile(emulation, { query, isAuthorized, userAgent: headers['user-agent'] })
  }
  const [, version, ...path] = url.pathname.split('/').map(decodeURIComponent)
  setTraceHeaders(emulation, response, { traceId, version })
  checkToken(emulation, token, query)
  if (!version || !/^v\d+\.\d+$/.test(version)) throw refuseUnknownNode(method, version ?? '')
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  return await answerGraph(emulation, { method, path: path.filter(Boolean), query, headers, body })
}

function readToken(authorization: string | undefined, query: URLSearchParams): string | undefined {
  return /^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? query.get('access_token') ?? undefined
}

function setTraceHeaders(
  { limits }: Emulation,
  response: Response,
  { traceId, version }: { traceId: string; version: string | undefined },
) {
  const used = limits.managementPercent()
  const usage = { call_count: used, total_cputime: 0, total_time: 0 }
  const ofAccount = { type: 'whatsapp', ...usage, estimated_time_to_regain_access: 0 }
  response.set({
    'facebook-api-version': version ?? '',
    'x-fb-trace-id': traceId,
    'x-fb-request-id': traceId,
    'x-app-usage': JSON.stringify(usage),
    'x-business-use-case-usage': JSON.stringify({
      [emulatorAccount.businessAccountId]: [ofAccount],
    }),
  })
}

function send(request: Request, response: Response, reply: GraphReply) {
  if (reply.kind === 'silent') return
  if (reply.kind === 'reset') {
    request.socket.resetAndDestroy()
    return
  }
  if (reply.kind === 'json') response.status(reply.status ?? 200).json(reply.body)
  else response.status(reply.status).set('content-type', reply.type).end(reply.bytes)
}

/** Does the request come from this machine, and not from a foreign page? */
function isFromHere(request: Request): boolean {
  const { host = '', origin } = request.headers
  const isLoopback = ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(
    request.socket.remoteAddress ?? '',
  )
  const isOurHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host)
  return isLoopback && isOurHost && (origin === undefined || origin === `http://${host}`)
}
