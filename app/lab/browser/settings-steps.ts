import type { Locator, Page } from 'playwright-core'
import { waitUntil } from './wait-until.ts'

/** A setting's row, with its value. */
export function settingRow(page: Page, name: string): Locator {
  return page.getByRole('main').getByRole('button', { name })
}

/** A setting's sheet, with all of its options. */
export async function openSetting(page: Page, name: string): Promise<Locator> {
  await settingRow(page, name).click()
  const sheet = page.getByRole('dialog', { name })
  await sheet.waitFor()
  return sheet
}

/** Chooses an option of a setting, which closes the sheet. */
export async function chooseSetting(page: Page, name: string, option: string) {
  const sheet = await openSetting(page, name)
  await sheet.getByRole('radio', { name: option }).click()
  await sheet.waitFor({ state: 'detached' })
}

/** Waits until the device has stored a setting. */
export async function untilSettingStored(page: Page, name: string, value: unknown) {
  await waitUntil(`${name} is stored`, () =>
    page.evaluate(
      ([name, value]) =>
        JSON.parse(localStorage.getItem('userSettings') ?? '{}')[name as string] === value,
      [name, value],
    ),
  )
}
