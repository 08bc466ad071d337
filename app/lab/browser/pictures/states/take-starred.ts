import type { Stage } from '../stage/open-stage.ts'

export async function takeStarred({ page, take }: Stage): Promise<void> {
  await page.goto('/chat/starred')
  await page.getByRole('link').filter({ hasText: 'The Summer Book' }).waitFor()
  await take('starred')
}
