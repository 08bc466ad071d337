import type { Server } from 'node:http'

const lookEveryMs = 25

/**
 * Stops accepting connections, and waits for pending answers.
 * @param withinMs after this, cuts off what is still open
 */
export async function stopServer(
  server: Server,
  { withinMs }: { withinMs: number },
): Promise<void> {
  const stopped = new Promise<void>((resolve) => server.close(() => resolve()))
  // A kept-alive connection is idle only once its last answer is out.
  const idle = setInterval(() => server.closeIdleConnections(), lookEveryMs)
  const deadline = setTimeout(() => server.closeAllConnections(), withinMs)
  await stopped
  clearInterval(idle)
  clearTimeout(deadline)
}
