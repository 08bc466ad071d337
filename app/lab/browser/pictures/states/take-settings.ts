import type { Stage } from '../stage/open-stage.ts'

export async function takeSettings({ page, take }: Stage): Promise<void> {
  await page.goto('/settings')
  await page.getByRole('link', { name: 'Storage and Data' }).waitFor()
  await take('settings')
}
