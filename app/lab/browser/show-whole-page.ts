import type { Page } from 'playwright-core'

/** More than any Chromium's window bars. */
const barsHeight = 200

/**
 * Enlarges the browser's window to its page. Headless Chromium counts the bars in the page's size,
 * so the page's end, such as a composer, lies outside and is painted last. Call this before
 * measuring paint.
 */
export async function showWholePage(page: Page): Promise<void> {
  const { width, height } = await page.evaluate(() => ({ width: innerWidth, height: innerHeight }))
  const session = await page.context().newCDPSession(page)
  const { windowId } = await session.send('Browser.getWindowForTarget')
  const bounds = { width, height: height + barsHeight }
  await session.send('Browser.setWindowBounds', { windowId, bounds })
  await session.detach()
}
