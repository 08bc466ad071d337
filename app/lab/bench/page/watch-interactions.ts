import type { Page } from 'playwright-core'

declare global {
  var interactionTimes: Map<number, number>
}

/** The browser's minimum threshold: it does not report shorter events. */
const leastReportedMs = 16

/**
 * Ms from each click and key press to the next paint, as measured by the browser (Event Timing).
 */
export async function watchInteractions(page: Page): Promise<{ stop(): Promise<number[]> }> {
  await page.evaluate((leastReportedMs) => {
    const times = new Map<number, number>()
    globalThis.interactionTimes = times
    // TypeScript's DOM types lack the threshold and the interaction id.
    const options = { type: 'event', durationThreshold: leastReportedMs }
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { interactionId } = Object.assign({ interactionId: 0 }, entry, entry.toJSON())
        if (interactionId > 0) {
          times.set(interactionId, Math.max(times.get(interactionId) ?? 0, entry.duration))
        }
      }
    }).observe(options)
  }, leastReportedMs)
  return {
    stop: () =>
      page.evaluate(async () => {
        const painted = () => new Promise((resolve) => requestAnimationFrame(resolve))
        // The browser reports measurements after the paint.
        for (let frame = 0; frame < 10; frame++) await painted()
        return [...globalThis.interactionTimes.values()]
      }),
  }
}

/** Counts unreported fast interactions at their maximum duration. */
export function fillUp(times: readonly number[], count: number): number[] {
  const missing = Math.max(0, count - times.length)
  return [...times, ...Array.from({ length: missing }, () => leastReportedMs)]
}
