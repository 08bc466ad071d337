import type { Page, Request } from 'playwright-core'
import { waitUntil } from '../../browser/wait-until.ts'

const patienceMs = 600_000
const calmMs = 3_000

/** Waits until the browser's own database holds this many messages. */
export function waitUntilStored(page: Page, count: number): Promise<void> {
  return waitUntil(
    `${count} messages are on the device`,
    async () => (await countStored(page)) >= count,
    patienceMs,
  )
}

export function countStored(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const all = await indexedDB.databases()
    const name = all.find((one) => /petrel-.*--messages$/.test(one.name ?? ''))?.name
    if (name === undefined) return 0
    const open = indexedDB.open(name)
    await new Promise((resolve) => open.addEventListener('success', resolve))
    const count = open.result.transaction('docs').objectStore('docs').count()
    await new Promise((resolve) => count.addEventListener('success', resolve))
    open.result.close()
    return count.result
  })
}

/** Waits until the page only polls for a while: it has stored what it received by then. */
export async function waitUntilCalm(page: Page): Promise<void> {
  let lastAsked = performance.now()
  const note = (request: Request) => {
    const url = request.url()
    if (url.includes('/sync/') && !url.includes('feed=longpoll')) lastAsked = performance.now()
  }
  page.on('request', note)
  await waitUntil('the page is calm', () => performance.now() - lastAsked > calmMs, patienceMs)
  page.off('request', note)
}
