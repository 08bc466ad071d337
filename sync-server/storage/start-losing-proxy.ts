import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** For tests: a way to a CouchDB that can lose an answer after what it answers has been done, fail, or fall silent. */
export async function startLosingProxy(target: string) {
  const state = {
    lost: undefined as RegExp | undefined,
    broken: undefined as RegExp | undefined,
    silent: undefined as RegExp | undefined,
    requests: [] as string[],
  }
  const server = createServer((asked, answer) => {
    const { method, headers, url = '/' } = asked
    state.requests.push(`${method} ${url}`)
    if (state.silent?.test(url)) return
    if (state.broken?.test(url)) {
      asked.resume().on('end', () => answer.writeHead(500).end('{"error":"broken"}'))
      return
    }
    const passed = request(new URL(url, target), { method, headers }, (response) => {
      if (state.lost === undefined || !state.lost.test(url)) {
        answer.writeHead(response.statusCode ?? 500, response.headers)
        response.pipe(answer)
        return
      }
      state.lost = undefined
      response.resume().on('end', () => answer.destroy())
    })
    asked.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    /** The next answer to a request with such a path gets lost. */
    loseAnswerTo(path: RegExp) {
      state.lost = path
    },
    /** Every request to such a path is answered with 500 from now on, until the returned function is called. */
    breakPath(path: RegExp) {
      state.broken = path
      return () => {
        state.broken = undefined
      }
    },
    /** Requests to such a path are taken and never answered, until the returned function is called. */
    silence(path: RegExp) {
      state.silent = path
      return () => {
        state.silent = undefined
      }
    },
    /** The requests since the last call, as `METHOD path`. */
    takeRequests: () => state.requests.splice(0),
    /** Has it got lost? */
    isLost: () => state.lost === undefined,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
