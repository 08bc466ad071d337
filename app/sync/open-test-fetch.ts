import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createClock } from '../database/create-clock.ts'
import { type Line, slowestLine } from './ask-patiently.ts'
import { createBackOff } from './create-back-off.ts'
import { createPullPace } from './create-pull-pace.ts'
import { createSyncFetch, type DatabaseFeed, type SyncOutcome } from './create-sync-fetch.ts'
import type { ServerVersions } from './server-versions.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

/** A sync fetch in front of a server that answers each request as it is told to, and notes what was asked. */
export async function openTestFetch(
  answerRequest: Answer,
  options: {
    pageRows?: number
    line?: Line
    epoch?: string
    versions?: ServerVersions
    feed?: DatabaseFeed
    readToken?: () => string
  } = {},
) {
  const { pageRows = 20, line = slowestLine, versions, feed, readToken = () => 'a token' } = options
  const asked: string[] = []
  const told: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    void answerRequest(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = new AbortController()
  onTestFinished(() => {
    stop.abort(new Error('The test is over.'))
    server.closeAllConnections()
    server.close()
  })
  const stored = { place: 0 }
  const outcomes: SyncOutcome[] = []
  const pages: number[] = []
  const clock = createClock({ now: () => 1_000 })
  const send = createSyncFetch({
    fetch,
    readToken,
    clock,
    backOff: createBackOff({ random: () => 1, firstMs: 20 }),
    epoch: {
      get: () => options.epoch,
      async take(epoch) {
        told.push(epoch)
        return epoch === (options.epoch ?? epoch)
      },
    },
    ...{ versions, feed },
    untilNoted: async () => {},
    pace: createPullPace(() => stored.place),
    ...{ pageRows, line, onPage: (rows: number) => pages.push(rows) },
    signal: stop.signal,
    onOutcome: (outcome) => outcomes.push(outcome),
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sync/messages/`
  return { send, url, asked, told, outcomes, clock, stop, stored, pages }
}

export function readQuery(request: IncomingMessage): URLSearchParams {
  return new URL(request.url ?? '', 'http://localhost').searchParams
}

export function answerJson(
  response: ServerResponse,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(200, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
