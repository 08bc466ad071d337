import type { Locator } from 'playwright-core'

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
