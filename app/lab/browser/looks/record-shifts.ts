import type { Page } from 'playwright-core'

/**
 * From the next page on, records rows, messages and bars that are visible at one height and then at
 * another. Chromium's own layout shift also counts hidden content, such as a list that measures
 * itself.
 */
export async function recordShifts(page: Page): Promise<{ list(): Promise<string[]> }> {
  await page.addInitScript(() => {
    const tops = new Map<Element, number>()
    const shifts: string[] = []
    Object.assign(globalThis, { shifts })
    const look = () => {
      for (const part of document.querySelectorAll('article, header, textarea, li > *, nav a')) {
        if (!part.checkVisibility({ visibilityProperty: true })) continue
        const { top } = part.getBoundingClientRect()
        const before = tops.get(part) ?? top
        tops.set(part, top)
        if (Math.abs(top - before) > 1) {
          shifts.push(`${before} to ${top}: ${part.outerHTML.slice(0, 120)}`)
        }
      }
    }
    // A frame's result is readable once the frame is over.
    const channel = new MessageChannel()
    channel.port1.onmessage = look
    const follow = () => {
      channel.port2.postMessage(undefined)
      requestAnimationFrame(follow)
    }
    requestAnimationFrame(follow)
  })
  return { list: () => page.evaluate(() => Reflect.get(globalThis, 'shifts')) }
}
