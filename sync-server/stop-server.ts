import type { Server } from 'node:http'

const lookEveryMs = 25

/**
 * Stops taking connections, and waits for the answers that are under way.
 * @param withinMs after this, what is still open is cut off
 */
export async function stopServer(
  server: Server,
  { withinMs }: { withinMs: number },
): Promise<void> {
  const stopped = new Promise<void>((resolve) => server.close(() => resolve()))
  // A connection that was kept for a further request is idle only once its last answer is out.
  const idle = setInterval(() => server.closeIdleConnections(), lookEveryMs)
  const deadline = setTimeout(() => server.closeAllConnections(), withinMs)
  await stopped
  clearInterval(idle)
  clearTimeout(deadline)
}
