import type { Page, Route } from 'playwright-core'

/** Delays the page's requests to these addresses until `release`, like an unresponsive server. */
export async function holdRequests(page: Page, ...globs: string[]) {
  const held: Route[] = []
  const wait = (route: Route) => void held.push(route)
  for (const glob of globs) await page.route(glob, wait)
  return {
    async release() {
      for (const glob of globs) await page.unroute(glob, wait)
      // A closed page's requests cannot continue.
      for (const route of held) await route.continue().catch(() => {})
    },
  }
}

/**
 * Answers the page's requests to these addresses with a status and no words; aborts them without
 * one.
 */
export async function failRequests(page: Page, status: number | 'cut', ...globs: string[]) {
  const fail = (route: Route) =>
    status === 'cut' ? route.abort('connectionrefused') : route.fulfill({ status })
  for (const glob of globs) await page.route(glob, fail)
  return {
    async stop() {
      for (const glob of globs) await page.unroute(glob, fail)
    },
  }
}
