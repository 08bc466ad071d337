import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** What axe finds serious or critical on the page as it is: the rule, and where. `rules`: only these. */
export async function findProblems(page: Page, rules?: string[]): Promise<string[]> {
  const isThere = await page.evaluate(() => 'axe' in globalThis)
  // Half a megabyte need not be read again by a page that has it.
  const axe = new AxeBuilder({ page, ...(isThere && { axeSource: 'null' }) }).options({
    resultTypes: ['violations'],
  })
  if (rules) axe.withRules(rules)
  // Its other mode opens a further page for each answer, for the sake of frames: there are none.
  const { violations } = await axe.setLegacyMode().analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`))
}
