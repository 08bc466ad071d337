import type { Page } from 'playwright-core'

declare global {
  var shownAt: number | undefined
  var clickedAt: number | undefined
}

/** Runs in the page: notes when, in ms since its navigation began, this was first there with its layout done. */
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

/** What `noteWhenShown` noted, and the last click, once it is there. */
export async function readWhenShown(page: Page): Promise<{ shownAt: number; clickedAt: number }> {
  await page.waitForFunction(() => globalThis.shownAt !== undefined)
  return page.evaluate(() => ({
    shownAt: globalThis.shownAt ?? 0,
    clickedAt: globalThis.clickedAt ?? 0,
  }))
}
