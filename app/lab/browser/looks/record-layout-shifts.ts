import type { Page } from 'playwright-core'

interface Shift {
  value: number
  what: string[]
}

/**
 * Notes from the next page on what moves by itself inside the open chat, as Chromium measures it: what is offered beside
 * it, such as to install, has tests of its own.
 */
export async function recordLayoutShifts(page: Page): Promise<{ take(): Promise<Shift[]> }> {
  await page.addInitScript(() => {
    const layoutShifts: Shift[] = []
    Object.assign(globalThis, { layoutShifts })
    new PerformanceObserver((seen) => {
      for (const entry of seen.getEntries()) {
        const { value, hadRecentInput, sources } = entry as PerformanceEntry & {
          value: number
          hadRecentInput: boolean
          sources: { node: Node | null }[]
        }
        if (hadRecentInput) continue
        const inChat = sources.filter(({ node }) => {
          const element = node instanceof Element ? node : node?.parentElement
          return element?.closest('section[aria-label^="Chat with"]')
        })
        if (inChat.length === 0) continue
        const what = inChat.map(({ node }) => String(node?.textContent).slice(0, 80))
        layoutShifts.push({ value, what })
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
  return {
    /** Since the last look, once the page has drawn. */
    take: () =>
      page.evaluate(async () => {
        for (let frame = 0; frame < 5; frame++) await new Promise(requestAnimationFrame)
        return (globalThis as unknown as { layoutShifts: Shift[] }).layoutShifts.splice(0)
      }),
  }
}
