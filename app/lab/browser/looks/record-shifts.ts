import type { Page } from 'playwright-core'

/**
 * Notes from the next page on which rows, messages and bars are seen at one height and then at another. Chromium's own
 * measure of layout shift also counts what is still hidden, such as a list that measures itself.
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
    // What a frame has drawn can be read once it is over.
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
