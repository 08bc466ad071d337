import { openSignInForm } from '../../account-steps.ts'
import type { Stage } from '../stage/open-stage.ts'

/** Including the result of a wrong password. */
export async function takeSignInForm({ page, ann, take }: Stage): Promise<void> {
  await page.goto('/login')
  await openSignInForm(page)
  await page.getByLabel('Phone number or Username').fill(ann.username)
  await page.getByLabel('Password', { exact: true }).fill('no-idea')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('alert').locator('p').waitFor()
  await take('sign-in-form')
}
