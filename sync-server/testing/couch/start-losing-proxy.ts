import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import type { AddressInfo } from 'node:net'

/** Answers in place of the CouchDB's, as of something that stands in front of it. */
interface OtherAnswer {
  status: number
  body: string
  type?: string
  location?: string
}

type Fault =
  | { kind: 'lost' | 'silent' | 'stalled' }
  | { kind: 'slow'; forMs: number }
  | { kind: 'answered'; answer: OtherAnswer }

const spaceEveryMs = 50
const broken: OtherAnswer = { status: 500, body: '{"error":"broken"}' }

/**
 * For tests: a way to a CouchDB that can lose an answer after what it answers has been done, answer something else, or
 * fall silent. A pattern is held against `/path?query` and against `METHOD /path?query`.
 * @param target the CouchDB; its login comes into the address of this one
 * @param rename another path for each path
 * @param delayMs how long each request is under way
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
      else {
        answer.writeHead(response.statusCode ?? 500, response.headers)
        response.pipe(answer)
      }
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
    /** The next answer to a request with such a path gets lost. */
    loseAnswerTo(path: RegExp) {
      add(path, { kind: 'lost' }, { isOnce: true })
    },
    /** Every request to such a path is answered with 500, or so, from now on, until the returned function is called. */
    breakPath: (path: RegExp, answer = broken) => add(path, { kind: 'answered', answer }),
    /** Requests to such a path are taken and never answered, until the returned function is called. */
    silence: (path: RegExp, options?: { isOnce: boolean }) =>
      add(path, { kind: 'silent' }, options),
    /** Answers to such a path stop in the middle of their body, until the returned function is called. */
    stall: (path: RegExp) => add(path, { kind: 'stalled' }),
    /** Answers to such a path come in JSON's white space for so long, before they come. */
    slow: (path: RegExp, { forMs }: { forMs: number }) => add(path, { kind: 'slow', forMs }),
    /** The requests since the last call, as `METHOD path`. */
    takeRequests: () => requests.splice(0),
    /** Has it got lost? */
    isLost: () => ![...faults].some(({ kind }) => kind === 'lost'),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
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
