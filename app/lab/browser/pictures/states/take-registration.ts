import type { Stage } from '../stage/open-stage.ts'

export async function takeRegistration({ page, take }: Stage): Promise<void> {
  await page.goto('/register')
  await page.getByLabel('Username').fill('ann.petersen')
  await page.getByLabel('Email Address').fill('ann@example.org')
  await take('registration')
}
