import type { Stage } from '../stage/open-stage.ts'

export async function takeSignIn({ page, take }: Stage): Promise<void> {
  await page.goto('/login')
  await page.getByRole('button', { name: /^(Log in with phone number|Sign in)$/ }).waitFor()
  await take('sign-in')
}
