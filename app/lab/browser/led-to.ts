import type { Locator, Page } from 'playwright-core'

/** How long a message is highlighted, in ms; undefined if it is not. */
export async function readHighlightMs(message: Locator): Promise<number | undefined> {
  return message.evaluate((article) => {
    const light = article
      .getAnimations({ subtree: true })
      .find(
        (animation) =>
          animation instanceof CSSAnimation && /highlight/.test(animation.animationName),
      )
    const duration = light?.effect?.getComputedTiming().duration
    return typeof duration === 'number' ? duration : undefined
  })
}

/** The distance between a message's middle and the list's, in px; very large if not drawn. */
export async function readOffCentre(message: Locator): Promise<number> {
  if ((await message.count()) !== 1) return Number.POSITIVE_INFINITY
  return message.evaluate((article) => {
    const middle = (box: DOMRect | undefined) => (box ? box.top + box.height / 2 : Number.NaN)
    const list = article.closest('[role="log"]')?.getBoundingClientRect()
    return Math.abs(middle(article.getBoundingClientRect()) - middle(list))
  })
}

/**
 * From now on, also in the pages that follow, notes which messages light up, and for how long: when a busy machine comes
 * to ask, the light may be out again.
 */
export async function recordHighlights(page: Page) {
  await page.addInitScript(noteHighlights)
  await page.evaluate(noteHighlights)
  return {
    /** How long, in ms, the messages whose names hold these words are lit: once for each time. */
    list: (words: string): Promise<number[]> =>
      page.evaluate(
        (words) =>
          (Reflect.get(globalThis, 'highlights') as { name: string; ms: number }[])
            .filter(({ name }) => name.includes(words))
            .map(({ ms }) => ms),
        words,
      ),
    clear: () => page.evaluate(() => void Reflect.get(globalThis, 'highlights').splice(0)),
  }
}

/** Runs in the page. */
function noteHighlights() {
  const highlights: { name: string; ms: number }[] = []
  Object.assign(globalThis, { highlights })
  const note = ({ target, animationName }: AnimationEvent) => {
    if (!(target instanceof Element) || !/highlight/.test(animationName)) return
    const light = target
      .getAnimations()
      .find((each) => each instanceof CSSAnimation && each.animationName === animationName)
    const ms = Number(light?.effect?.getComputedTiming().duration)
    highlights.push({ name: target.closest('article')?.ariaLabel ?? '', ms })
  }
  addEventListener('animationstart', note, { capture: true })
}
