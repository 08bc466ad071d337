import type { Page } from 'playwright-core'

declare global {
  var shownAt: number | undefined
  var clickedAt: number | undefined
}

/**
 * Runs in the page: records when an element first appeared with its layout done, in ms since
 * navigation.
 */
export function recordWhenShown(selector: string): void {
  globalThis.shownAt = undefined
  const look = () => {
    const element = document.querySelector(selector)
    if (!element) return
    element.getBoundingClientRect()
    globalThis.shownAt = performance.now()
    observer.disconnect()
  }
  const observer = new MutationObserver(look)
  observer.observe(document, { childList: true, subtree: true })
  addEventListener('click', ({ timeStamp }) => (globalThis.clickedAt = timeStamp), {
    capture: true,
  })
}

/** What `recordWhenShown` recorded, and the last click, once available. */
export async function readWhenShown(page: Page): Promise<{ shownAt: number; clickedAt: number }> {
  await page.waitForFunction(() => globalThis.shownAt !== undefined)
  return page.evaluate(() => ({
    shownAt: globalThis.shownAt ?? 0,
    clickedAt: globalThis.clickedAt ?? 0,
  }))
}
