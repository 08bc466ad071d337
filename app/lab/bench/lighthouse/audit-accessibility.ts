import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { accessibilityWeights } from './lighthouse-weights.ts'
import { type Score, scoreAudits } from './score-audits.ts'

/** Lighthouse's accessibility audits of the page: axe's rules, with Lighthouse's weights. */
export async function auditAccessibility(page: Page): Promise<Score> {
  const { passes, violations } = await new AxeBuilder({ page })
    .withRules(Object.keys(accessibilityWeights))
    .analyze()
  return scoreAudits(
    {
      ...Object.fromEntries(passes.map(({ id }) => [id, true])),
      ...Object.fromEntries(violations.map(({ id }) => [id, false])),
    },
    accessibilityWeights,
  )
}
