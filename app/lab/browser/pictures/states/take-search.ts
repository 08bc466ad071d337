import type { Stage } from '../stage/open-stage.ts'

/** Matching people and messages. */
export async function takeSearch({ page, take }: Stage): Promise<void> {
  await page.goto('/chat')
  await page.getByRole('searchbox', { name: 'Search or start a new chat' }).fill('harb')
  await page.getByRole('region', { name: 'Messages' }).getByRole('link').first().waitFor()
  await take('search')
}
