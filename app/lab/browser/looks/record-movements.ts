import type { Page } from 'playwright-core'

/** From the next page on, records animations that move something, not only fade, however short. */
export async function recordMovements(page: Page): Promise<{ list(): Promise<string[]> }> {
  await page.addInitScript(() => {
    const seen: string[] = []
    Object.assign(globalThis, { movements: seen })
    const isMoving = ['transform', 'translate', 'scale', 'rotate', 'top', 'left', 'width', 'height']
    const note = () => {
      for (const { effect, playState } of document.getAnimations()) {
        if (!(effect instanceof KeyframeEffect) || playState !== 'running') continue
        const { duration } = effect.getComputedTiming()
        const properties = effect.getKeyframes().flatMap((frame) => Object.keys(frame))
        const moved = properties.find((property) => isMoving.includes(property))
        if (moved && duration) seen.push(`${moved} of ${effect.target?.className}`)
      }
    }
    for (const event of ['animationstart', 'transitionrun']) {
      addEventListener(event, note, { capture: true })
    }
  })
  return {
    list: () => page.evaluate(() => [...new Set<string>(Reflect.get(globalThis, 'movements'))]),
  }
}
