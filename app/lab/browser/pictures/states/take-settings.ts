import type { Stage } from '../stage/open-stage.ts'

export async function takeSettings({ page, take }: Stage): Promise<void> {
  await page.goto('/settings')
  await page.getByRole('radio', { name: 'Dark' }).waitFor()
  await take('settings')
}
