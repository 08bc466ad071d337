import type { Page } from 'playwright-core'

declare global {
  var interactionTimes: Map<number, number>
}

/** An event that was over sooner is not reported: the least that a browser can be asked for. */
const leastReportedMs = 16

/** Ms from each click and key press to the next paint, as the browser itself measures it (Event Timing). */
export async function watchInteractions(page: Page): Promise<{ stop(): Promise<number[]> }> {
  await page.evaluate((leastReportedMs) => {
    const times = new Map<number, number>()
    globalThis.interactionTimes = times
    // TypeScript's types for the browser do not know the threshold and the number of an interaction.
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
        // What was measured is reported after the paint.
        for (let frame = 0; frame < 10; frame++) await painted()
        return [...globalThis.interactionTimes.values()]
      }),
  }
}

/** Counts those that were too fast to be reported as what they are at most. */
export function fillUp(times: readonly number[], count: number): number[] {
  const missing = Math.max(0, count - times.length)
  return [...times, ...Array.from({ length: missing }, () => leastReportedMs)]
}
