import type { Page, Route } from 'playwright-core'

const pushes = '**/sync/messages/_bulk_docs'

/**
 * Damages every pushed message on the way, until called again without a damage. Its person has to
 * push by requests (`pushesByRequests`).
 */
export async function damagePushes(
  page: Page,
  damage?: (document: Record<string, unknown>) => void,
): Promise<void> {
  await page.unroute(pushes)
  if (!damage) return
  await page.route(pushes, async (route: Route) => {
    const body = route.request().postDataJSON()
    body.docs.forEach(damage)
    await route.continue({ postData: JSON.stringify(body) })
  })
}
