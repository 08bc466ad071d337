import type { Stage } from '../stage/open-stage.ts'

export async function takeStorage({ page, people, take }: Stage): Promise<void> {
  await page.goto('/settings/storage')
  await page.getByText(people.dario.name).waitFor()
  await take('storage')
  await page
    .getByRole('button', { name: /^Clear/ })
    .first()
    .click()
  await page.getByRole('dialog').waitFor()
  await take('storage-clear')
  await page.keyboard.press('Escape')
}
