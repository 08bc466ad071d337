import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createDeferred } from '../../../schema/helpers/deferred.ts'

/** An answer in place of the CouchDB's, as from a proxy in front of it. */
interface OtherAnswer {
  status: number
  body: string
  type?: string
  location?: string
}

type Fault =
  | { kind: 'lost' | 'silent' | 'stalled' }
  | { kind: 'slow'; forMs: number }
  | { kind: 'held'; onHeld: () => void; released: Promise<void> }
  | { kind: 'answered'; answer: OtherAnswer }

const spaceEveryMs = 50
const broken: OtherAnswer = { status: 500, body: '{"error":"broken"}' }

/**
 * For tests: a proxy to a CouchDB that can lose an answer after the request took effect, answer
 * otherwise, or fall silent. Matches patterns against `/path?query` and `METHOD /path?query`.
 * @param target the CouchDB; this proxy's address includes its login
 * @param rename maps each path
 * @param delayMs the delay of each request
 */
export async function startLosingProxy(
  target: string,
  {
    rename = (path) => path,
    delayMs = 0,
  }: { rename?: (path: string) => string; delayMs?: number } = {},
) {
  const faults = new Set<Fault & { path: RegExp; isOnce: boolean }>()
  const requests: string[] = []

  function takeFault(method: string, path: string) {
    for (const fault of faults) {
      if (!fault.path.test(path) && !fault.path.test(`${method} ${path}`)) continue
      if (fault.isOnce) faults.delete(fault)
      return fault
    }
    return undefined
  }

  function add(path: RegExp, fault: Fault, { isOnce = false }: { isOnce?: boolean } = {}) {
    const added = { ...fault, path, isOnce }
    faults.add(added)
    return () => void faults.delete(added)
  }

  const server = createServer((asked, answer) => {
    const { method = 'GET', headers, url = '/' } = asked
    requests.push(`${method} ${url}`)
    const fault = takeFault(method, url)
    if (fault?.kind === 'silent') return
    if (fault?.kind === 'answered') {
      asked.resume().on('end', () => giveOther(answer, fault.answer))
      return
    }
    const to = new URL(rename(url), target)
    const request = to.protocol === 'https:' ? requestHttps : requestHttp
    const passed = request(to, { method, headers: { ...headers, host: to.host } }, (response) => {
      if (fault?.kind === 'lost') response.resume().on('end', () => answer.destroy())
      else if (fault?.kind === 'stalled') giveHalf(answer, response)
      else if (fault?.kind === 'slow') giveSlowly(answer, response, fault.forMs)
      else if (fault?.kind === 'held') {
        fault.onHeld()
        void fault.released.then(() => passOn(answer, response))
      } else passOn(answer, response)
    })
    passed.on('error', () => answer.destroy())
    if (delayMs > 0) setTimeout(() => asked.pipe(passed), delayMs)
    else asked.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = new URL(target)
  Object.assign(url, { protocol: 'http:', host: `127.0.0.1:${port}`, pathname: '/' })
  return {
    url: url.href,
    /** Loses the next answer to a matching request. */
    loseAnswerTo(path: RegExp) {
      add(path, { kind: 'lost' }, { isOnce: true })
    },
    /**
     * Answers every matching request with 500, or the given answer, until the returned function is
     * called.
     */
    breakPath: (path: RegExp, answer = broken) => add(path, { kind: 'answered', answer }),
    /** Never answers matching requests, until the returned function is called. */
    silence: (path: RegExp, options?: { isOnce: boolean }) =>
      add(path, { kind: 'silent' }, options),
    /**
     * Stops matching answers in the middle of their body, until the returned function is called.
     */
    stall: (path: RegExp) => add(path, { kind: 'stalled' }),
    /** Lets matching requests take effect, and keeps their answers back until `release`. */
    hold(path: RegExp) {
      const state = { isHolding: false }
      const released = createDeferred()
      const onHeld = () => {
        state.isHolding = true
      }
      const end = add(path, { kind: 'held', onHeld, released: released.promise })
      return {
        isHolding: () => state.isHolding,
        release() {
          end()
          released.resolve()
        },
      }
    },
    /** Sends JSON white space for `forMs` before each matching answer. */
    slow: (path: RegExp, { forMs }: { forMs: number }) => add(path, { kind: 'slow', forMs }),
    /** The requests since the last call, as `METHOD path`. */
    takeRequests: () => requests.splice(0),
    /** Has the answer been lost? */
    isLost: () => ![...faults].some(({ kind }) => kind === 'lost'),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function passOn(outgoing: ServerResponse, response: IncomingMessage) {
  outgoing.writeHead(response.statusCode ?? 500, response.headers)
  response.pipe(outgoing)
}

function giveOther(outgoing: ServerResponse, { status, body, type, location }: OtherAnswer) {
  const headers = { 'content-type': type ?? 'application/json', ...(location && { location }) }
  outgoing.writeHead(status, headers).end(body)
}

function giveHalf(outgoing: ServerResponse, response: IncomingMessage) {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  response.on('data', (chunk: Uint8Array<ArrayBuffer>) => chunks.push(chunk))
  response.on('end', () => {
    const whole = Buffer.concat(chunks)
    outgoing.writeHead(response.statusCode ?? 500, {
      'content-type': response.headers['content-type'] ?? 'application/json',
      'content-length': whole.length,
    })
    outgoing.write(whole.subarray(0, Math.floor(whole.length / 2)))
  })
}

function giveSlowly(outgoing: ServerResponse, response: IncomingMessage, forMs: number) {
  outgoing.writeHead(response.statusCode ?? 500, { 'content-type': 'application/json' })
  const speaking = setInterval(() => outgoing.write(' '), spaceEveryMs)
  const end = setTimeout(() => {
    clearInterval(speaking)
    response.pipe(outgoing)
  }, forMs)
  outgoing.once('close', () => {
    clearInterval(speaking)
    clearTimeout(end)
  })
}
