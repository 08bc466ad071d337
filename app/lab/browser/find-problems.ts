import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/**
 * Axe's serious and critical findings on the current page: the rule, and where. `rules`: only
 * these.
 */
export async function findProblems(page: Page, rules?: string[]): Promise<string[]> {
  const isThere = await page.evaluate(() => 'axe' in globalThis)
  // A page that already has this half megabyte need not load it again.
  const axe = new AxeBuilder({ page, ...(isThere && { axeSource: 'null' }) }).options({
    resultTypes: ['violations'],
  })
  if (rules) axe.withRules(rules)
  // Its other mode opens a further page per result, for frames: there are none.
  const { violations } = await axe.setLegacyMode().analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`))
}
