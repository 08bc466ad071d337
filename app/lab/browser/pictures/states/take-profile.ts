import type { Stage } from '../stage/open-stage.ts'

export async function takeProfile({ page, people, take }: Stage): Promise<void> {
  await page.goto('/profile')
  await page.getByText(people.ann.email).waitFor()
  await take('profile')
}
