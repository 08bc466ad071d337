import type { Locator, Page } from 'playwright-core'

export function picker(page: Page): Locator {
  return page.getByRole('dialog', { name: 'Emoji', exact: true })
}

export async function openPicker(page: Page) {
  await page.getByRole('button', { name: 'Emoji', exact: true }).click()
  await picker(page).getByRole('option').first().waitFor()
}

/** Searches for it by its name and picks it. */
export async function pickEmoji(page: Page, name: string) {
  await picker(page).getByRole('combobox').fill(name)
  await picker(page).getByRole('option', { name, exact: true }).click()
  await picker(page).getByRole('combobox').fill('')
}
