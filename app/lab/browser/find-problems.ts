import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/**
 * Axe's serious and critical findings on the current page: the rule, and where.
 * @param options.colours the contrast of each text, which takes half of the time
 */
export async function findProblems(
  page: Page,
  { colours = 'seen' }: { colours?: 'seen' | 'unseen' | 'only' } = {},
): Promise<string[]> {
  const isThere = await page.evaluate(() => 'axe' in globalThis)
  // A page that already has this half megabyte need not load it again.
  const axe = new AxeBuilder({ page, ...(isThere && { axeSource: 'null' }) }).options({
    resultTypes: ['violations'],
  })
  if (colours === 'only') axe.withRules('color-contrast')
  if (colours === 'unseen') axe.disableRules('color-contrast')
  // Its other mode opens a further page per result, for frames: there are none.
  const { violations } = await axe.setLegacyMode().analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`))
}
