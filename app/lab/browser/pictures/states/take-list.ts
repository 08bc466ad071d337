import type { Stage } from '../stage/open-stage.ts'

/** The list, and on a wide screen the empty pane beside it. */
export async function takeList({ page, take }: Stage): Promise<void> {
  await page.goto('/chat')
  await page.getByRole('list', { name: 'Conversations' }).getByRole('link').first().waitFor()
  await take('list')
}
