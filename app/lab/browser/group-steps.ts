import type { Locator, Page } from 'playwright-core'
import type { drawPhoto } from './file-steps.ts'

/** A group's name in the header of its open chat. */
export function groupHeading(page: Page, name: string): Locator {
  return page.locator('header').getByRole('heading', { level: 2, name, exact: true })
}

/** By 'New chat' and 'New group': checks these people, names the group and makes it; resolves in its chat. */
export async function makeGroup(
  page: Page,
  name: string,
  usernames: readonly string[],
  { picture }: { picture?: Awaited<ReturnType<typeof drawPhoto>> } = {},
) {
  const dialog = (title: string) => page.getByRole('dialog', { name: title })
  const form = dialog('New group')
  await page.getByRole('button', { name: 'New chat' }).first().click()
  await dialog('New chat').getByRole('button', { name: 'New group' }).click()
  for (const username of usernames) {
    await form.getByRole('searchbox', { name: 'Search people' }).fill(username)
    await form.getByRole('checkbox', { name: username }).check()
  }
  await form.getByRole('button', { name: 'Next' }).click()
  await form.getByLabel('Group name').fill(name)
  if (picture) {
    await form.getByLabel('Group picture').setInputFiles(picture)
    await dialog('Group picture').getByRole('button', { name: 'Use picture' }).click()
    await form.getByRole('button', { name: 'Remove picture' }).waitFor()
  }
  await form.getByRole('button', { name: 'Create' }).click()
  await groupHeading(page, name).waitFor()
}
