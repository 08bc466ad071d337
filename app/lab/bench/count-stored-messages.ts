import type { Page } from 'playwright-core'
import { waitUntil } from '../browser/wait-until.ts'

const patienceMs = 600_000

/** Waits until the browser's own database holds this many messages. */
export function waitUntilStored(page: Page, count: number): Promise<void> {
  return waitUntil(
    `${count} messages are on the device`,
    async () => (await countStored(page)) >= count,
    patienceMs,
  )
}

/** Waits until the search on the device has followed this many messages, so that nothing works behind the screen. */
export function waitUntilSearchable(page: Page, count: number): Promise<void> {
  return waitUntil(
    `${count} messages can be found`,
    async () => {
      const rows = await readAll<{ scanned: number }>(page, {
        database: '-search$',
        store: 'state',
      })
      return rows.some(({ scanned }) => scanned >= count)
    },
    patienceMs,
  )
}

export function countStored(page: Page): Promise<number> {
  return ask<number>(page, { database: '--messages$', store: 'docs', how: 'count' })
}

async function readAll<Row>(
  page: Page,
  from: { database: string; store: string },
): Promise<readonly Row[]> {
  return (await ask<Row[] | 0>(page, { ...from, how: 'getAll' })) || []
}

/** Asks one store of the page's databases; 0 when there is no such database. */
function ask<Answer>(
  page: Page,
  question: { database: string; store: string; how: 'count' | 'getAll' },
): Promise<Answer | 0> {
  return page.evaluate(async ({ database, store, how }) => {
    const all = await indexedDB.databases()
    const name = all.find((one) => new RegExp(database).test(one.name ?? ''))?.name
    if (name === undefined) return 0
    const open = indexedDB.open(name)
    await new Promise((resolve) => open.addEventListener('success', resolve))
    const request = open.result.transaction(store).objectStore(store)[how]()
    await new Promise((resolve) => request.addEventListener('success', resolve))
    open.result.close()
    return request.result as Answer
  }, question)
}
