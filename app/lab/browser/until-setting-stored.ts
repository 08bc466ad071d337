import type { Page } from 'playwright-core'
import { waitUntil } from './wait-until.ts'

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
