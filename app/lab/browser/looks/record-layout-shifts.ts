import type { Page } from 'playwright-core'

interface Shift {
  value: number
  what: string[]
}

/**
 * From the next page on, records Chromium's layout shifts inside the open chat and the list of signed-in devices: other
 * elements, such as the install offer, have their own tests.
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
          // The count of new messages has fewer digits as it goes down.
          if (element?.matches('[aria-label^="Go to the newest message"] + *')) return false
          return element?.closest(
            'section[aria-label^="Chat with"], section[aria-labelledby="sign-ins"]',
          )
        })
        if (inChat.length === 0) continue
        const what = inChat.map(({ node }) => String(node?.textContent).slice(0, 80))
        layoutShifts.push({ value, what })
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
  return {
    /** Shifts since the last call, once the page has drawn. */
    take: () =>
      page.evaluate(async () => {
        for (let frame = 0; frame < 5; frame++) await new Promise(requestAnimationFrame)
        return (globalThis as unknown as { layoutShifts: Shift[] }).layoutShifts.splice(0)
      }),
  }
}
