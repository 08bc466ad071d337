import { afterAll, expect, test } from 'vitest'
import { openChat, say } from './chat-steps.ts'
import { findProblems } from './find-problems.ts'
import { hasFocus, readRestingBox } from './message-steps.ts'
import { chooseSetting, settingRow } from './settings-steps.ts'
import { startAnnAlone } from './start-two-people.ts'

const people = await startAnnAlone({
  keepsApp: true,
  hasWholeBrowser: true,
})
const { page } = people.ann
afterAll(() => people.close())

test('the profile is shown and changed, cancelling changes nothing, and the keyboard keeps its place', async () => {
  const edit = page.getByRole('button', { name: 'Edit profile' })
  const name = page.getByRole('textbox', { name: 'Name' })
  await page.getByRole('link', { name: 'Profile', exact: true }).click()
  await page.getByRole('link', { name: 'Profile page' }).click()
  const about = page.getByRole('definition').filter({ hasText: 'Hey there! I am using WhatsApp' })
  await about.waitFor()
  await page.getByText('Email cannot be changed').waitFor()
  await expect.poll(() => page.title()).toBe('Profile | Petrel')
  expect(await findProblems(page)).toEqual([])
  await edit.press('Enter')
  await expect.poll(() => hasFocus(name)).toBe(true)
  await page.getByRole('textbox', { name: 'About' }).fill('never saved')
  await page.getByRole('button', { name: 'Cancel' }).press('Enter')
  await about.waitFor()
  await expect.poll(() => hasFocus(edit)).toBe(true)
  await page.keyboard.press('Enter')
  await name.fill('x')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('Name must be at least 2 characters').waitFor()
  await name.fill('Ann Petersen')
  await page.getByRole('textbox', { name: 'About' }).fill('At sea')
  expect(await findProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await page.getByRole('definition').filter({ hasText: 'At sea' }).waitFor()
  await expect.poll(() => hasFocus(edit)).toBe(true)
  await page.reload()
  await page.getByRole('definition').filter({ hasText: 'Ann Petersen' }).waitFor()
  await page.getByRole('definition').filter({ hasText: 'At sea' }).waitFor()
  await page.getByRole('button', { name: 'Back to chats' }).click()
  await page.waitForURL('**/chat')
})

test.each([
  ['Account', 'ann@example.org', 'Account | Petrel'],
  ['Privacy', 'Read receipts', 'Privacy | Petrel'],
  ['Security', 'This device ·', 'Security | Petrel'],
  ['Notifications', 'Notifications are off on this device', 'Notifications | Petrel'],
  ['Storage and Data', 'Used on the server', 'Storage and Data | Petrel'],
  ['Help', 'Search in the open chat', 'Help | Petrel'],
  ['About', 'Version 1.0.0', 'About | Petrel'],
])('the settings have a section %s', async (name, words, title) => {
  await page.goto('/settings')
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name }).click()
  await page.getByText(words).first().waitFor()
  await expect.poll(() => page.title()).toBe(title)
  expect(await findProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Back to settings' }).click()
  await page.waitForURL('**/settings')
})

test('on a desktop the list stays beside its sections, knows which is open, and finds settings', async () => {
  await page.goto('/settings')
  await page.getByRole('heading', { name: 'Settings', level: 2 }).waitFor()
  const menu = page.getByRole('navigation', { name: 'Settings' })
  const before = await readRestingBox(menu)
  await menu.getByRole('link', { name: 'Privacy' }).click()
  await page.getByRole('heading', { name: 'Privacy', level: 1 }).waitFor()
  expect(await readRestingBox(menu)).toEqual(before)
  await expect
    .poll(() => menu.getByRole('link', { name: 'Privacy' }).getAttribute('aria-current'))
    .toBe('page')
  const names = ['Security', 'Storage and Data', 'Chats', 'Keyboard shortcuts', 'Log out']
  for (const name of names) await menu.getByText(name, { exact: true }).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Ann Petersen' }).waitFor()
  const box = page.getByRole('searchbox', { name: 'Search settings' })
  await box.fill('dark')
  await expect
    .poll(() => menu.getByRole('listitem').allTextContents())
    .toEqual(['ChatsTheme: light or dark'])
  await box.fill('nothing like it')
  await page.getByText('No settings found').waitFor()
  expect(await findProblems(page)).toEqual([])
})

test('a choice is a row with its value, and its sheet is used with the keyboard, too', async () => {
  await page.goto('/settings/chats')
  const row = settingRow(page, 'Text size')
  await row.getByText('Medium').waitFor()
  await row.press('Enter')
  const sheet = page.getByRole('dialog', { name: 'Text size' })
  await sheet.getByRole('radio', { name: 'Medium' }).focus()
  await page.keyboard.press('ArrowDown')
  await expect
    .poll(() => sheet.getByRole('radio', { name: 'Large', exact: true }).isChecked())
    .toBe(true)
  expect(await findProblems(page)).toEqual([])
  await sheet.getByRole('button', { name: 'Done' }).press('Enter')
  await row.getByText('Large').waitFor()
  await expect.poll(() => hasFocus(row)).toBe(true)
  await chooseSetting(page, 'Text size', 'Medium')
  const keeps = page.getByRole('switch', { name: 'Keep chats archived' })
  const before = await keeps.isChecked()
  await keeps.press('Space')
  await expect.poll(() => keeps.isChecked()).toBe(!before)
  await keeps.press('Space')
})

test('an unknown section is no page', async () => {
  await page.goto('/settings/nothing')
  await page.getByRole('heading', { name: 'Page Not Found' }).waitFor()
})

test('the theme is chosen with the click, also for a page that is reloaded at once', async () => {
  await page.goto('/settings/chats')
  await chooseSetting(page, 'Theme', 'Dark')
  await page.reload()
  await settingRow(page, 'Theme').getByText('Dark').waitFor()
  await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
  expect(await findProblems(page)).toEqual([])
})

test('another sign-in is ended from here, and that device is signed out', async () => {
  const { server } = people
  const answer = await fetch(`${server.origin}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'Firefox/140.0 (Windows NT)' },
    body: JSON.stringify({ username: 'ann@example.org', password: people.ann.password }),
  })
  const { token } = await answer.json()
  await page.goto('/settings/security')
  const row = page.getByRole('listitem').filter({ hasText: 'Firefox on Windows' })
  await row.getByRole('button', { name: 'Log out' }).click()
  await row.waitFor({ state: 'detached' })
  const heading = page.getByRole('heading', { name: 'Signed-in devices' })
  await expect.poll(() => hasFocus(heading)).toBe(true)
  const headers = { authorization: `Bearer ${token}` }
  const askWho = () => fetch(`${server.origin}/api/users/me`, { headers })
  await expect.poll(async () => (await askWho()).status).toBe(401)
})

test('P6: logging out warns of what is unsent, and takes the chats off the device', async () => {
  const { ann } = people
  await page.goto('/chat')
  await openChat(page, 'ben')
  await ann.goOffline()
  await say(page, 'not sent yet')
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Account' }).click()
  await page.getByRole('button', { name: 'Log out' }).click()
  // The chat itself may have left before the network did: then it is one thing that would be lost.
  await page.getByRole('button', { name: /^Log out and lose/ }).waitFor()
  expect(await findProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Cancel' }).click()
  await ann.goOnline()
  await page.getByRole('button', { name: 'Back to settings' }).click()
  await page.goto('/profile')
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.getByRole('button', { name: /^Log out/ }).click()
  await page.waitForURL('**/login')
  await page.getByText('Stay logged in on this browser').waitFor()
  expect(await page.getByText("You've been signed out.").count()).toBe(0)
  await expect.poll(countRecords).toBe(0)
})

/** Every record in every database of this device. */
function countRecords(): Promise<number> {
  return page.evaluate(async () => {
    const settle = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    let records = 0
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await settle(indexedDB.open(name))
      for (const store of database.objectStoreNames) {
        records += await settle(database.transaction(store).objectStore(store).count())
      }
      database.close()
    }
    return records
  })
}
