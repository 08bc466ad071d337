import type { Page } from 'playwright-core'

/**
 * From the next page on, says nothing of a connection that takes its time: where it takes 2 s to connect, a line says
 * so, above the list or the messages, and moves them.
 */
export async function keepConnectingUnsaid(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const begin = globalThis.setTimeout
    const beginOther = (run: () => void, ms?: number) => begin(run, ms === 2_000 ? 60_000 : ms)
    Object.assign(globalThis, { setTimeout: beginOther })
  })
}
