import type { Page } from 'playwright-core'

/** More than the bars of any Chromium take from its window. */
const barsHeight = 200

/**
 * Makes the browser's window large enough for its page. Chromium without a screen is given the size of the page
 * for the window with its bars: what lies at the page's end, such as a composer, is then outside, and never
 * painted before something else is. Whoever measures paint calls this first.
 */
export async function showWholePage(page: Page): Promise<void> {
  const { width, height } = await page.evaluate(() => ({ width: innerWidth, height: innerHeight }))
  const session = await page.context().newCDPSession(page)
  const { windowId } = await session.send('Browser.getWindowForTarget')
  const bounds = { width, height: height + barsHeight }
  await session.send('Browser.setWindowBounds', { windowId, bounds })
  await session.detach()
}
