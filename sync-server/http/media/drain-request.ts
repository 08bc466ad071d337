import type { IncomingMessage } from 'node:http'

const mostBytes = 64 * 1024 * 1024
const withinMs = 10_000
const idleMs = 1_000

/**
 * Drains the rest of a refused body, within bounds: a browser still sending when the connection
 * closes shows a network error instead of the answer.
 */
export function drainRequest(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const passed = { bytes: 0 }
    const deadline = setTimeout(finish, withinMs)
    const idle = setTimeout(finish, idleMs)
    function count(chunk: Buffer) {
      idle.refresh()
      passed.bytes += chunk.length
      if (passed.bytes > mostBytes) finish()
    }
    function finish() {
      clearTimeout(deadline)
      clearTimeout(idle)
      request.off('data', count).off('end', finish).off('close', finish).pause()
      resolve()
    }
    request.on('data', count).on('end', finish).on('close', finish).resume()
  })
}
