import type { Page } from 'playwright-core'
import { waitUntil } from '../browser/wait-until.ts'

/** Waits until the browser's own database holds this many messages. */
export function waitUntilStored(page: Page, count: number): Promise<void> {
  return waitUntil(
    `${count} messages are on the device`,
    async () => (await countStored(page)) >= count,
    300_000,
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
