import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** For tests: a way to a CouchDB that can lose an answer after what it answers has been done. */
export async function startLosingProxy(target: string) {
  const state = { lost: undefined as RegExp | undefined }
  const server = createServer((asked, answer) => {
    const { method, headers, url = '/' } = asked
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
    /** Has it got lost? */
    isLost: () => state.lost === undefined,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
