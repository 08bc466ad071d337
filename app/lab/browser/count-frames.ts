import type { Page } from 'playwright-core'

/** How often the page has received something on a socket that it opens from now on. */
export function countFrames(page: Page): () => number {
  let heard = 0
  page.on('websocket', (socket) => socket.on('framereceived', () => heard++))
  return () => heard
}
