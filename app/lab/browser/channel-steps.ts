import type { Locator, Page } from 'playwright-core'

const businessPhone = '15550783881'
const businessNumberId = '106540352242922'

export function dialog(page: Page, name: string): Locator {
  return page.getByRole('dialog', { name })
}

/** What a screen reader says of a field besides its label. */
export function readHint(field: Locator): Promise<string> {
  return field.evaluate((input) => {
    const hint = document.getElementById(input.getAttribute('aria-describedby') ?? '')
    return hint?.textContent ?? ''
  })
}

/** Links the emulator's business account through the menu, and closes the dialog. */
export async function linkAccount(page: Page) {
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'WhatsApp Integration' }).click()
  const integration = dialog(page, 'WhatsApp Integration')
  await integration.getByLabel('WhatsApp ID').fill(businessPhone)
  await integration.getByLabel('Phone Number', { exact: true }).fill(`+${businessPhone}`)
  await integration.getByLabel('Phone Number ID').fill(businessNumberId)
  await integration.getByLabel('Display Name').fill('Lucky Shrub')
  await integration.getByRole('button', { name: 'Link Account' }).click()
  // The note about the sandbox says that it isn't connected.
  await integration.getByText('Connected', { exact: true }).waitFor()
  await integration.getByRole('button', { name: 'Close' }).click()
}

/** Starts a chat with a number unknown here, and leaves it open. */
export async function startChatByNumber(page: Page, phone: string) {
  await page.getByRole('button', { name: 'New chat' }).first().click()
  await page.getByRole('button', { name: 'Search by Phone Number' }).click()
  const search = dialog(page, 'Search by Phone Number')
  await search.getByLabel('Phone Number').fill(phone)
  await search.getByRole('button', { name: 'Search', exact: true }).click()
  await search.getByRole('alert').waitFor()
  await search.getByRole('button', { name: 'Start a WhatsApp chat' }).click()
  await page.locator('main header').getByRole('heading', { level: 2 }).waitFor()
}

/** Chooses in the composer's attach menu. */
export async function attach(page: Page, entry: string) {
  await page.getByRole('button', { name: 'Attach' }).click()
  await page.getByRole('menuitem', { name: entry, exact: true }).click()
}

/** The strip under the header of a customer chat. */
export function channelBar(page: Page): Locator {
  return page.getByRole('region', { name: 'WhatsApp' })
}
