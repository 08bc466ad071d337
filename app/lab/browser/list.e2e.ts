import type { Locator } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { pushMessages, registerAccount } from '../server/server-accounts.ts'
import { readSession, waitUntilKept } from './account-steps.ts'
import { chatRow, openChat, say, untilLive } from './chat-steps.ts'
import { findProblems } from './find-problems.ts'
import { listOverflowing } from './list-overflowing.ts'
import { startTwoPeople } from './start-two-people.ts'

const within = { timeout: 60_000 }
const people = await startTwoPeople({
  keepsApp: true,
  hasWholeBrowser: true,
})
const { ann, server } = people
const { page } = ann
const { origin } = server
const { userId } = await readSession(ann)
const box = page.getByRole('searchbox', { name: 'Search or start a new chat' })
const see = (words: string) => page.getByText(words).filter({ visible: true }).first().waitFor()

const dora = await registerAccount(origin, 'dora')
/** Dora writes, and Ann's device shows it. */
async function hearDora() {
  const title = await page.title()
  await pushMessages({ origin, author: dora, recipientId: userId, count: 1 })
  await expect.poll(() => page.title()).not.toBe(title)
}

/** Presses a person's row; Dora writes before the release, and the row stands still until then. */
async function openWhileDoraWrites(row: Locator) {
  await untilLive(page, row)
  await row.hover()
  const before = await row.boundingBox()
  await page.mouse.down()
  await hearDora()
  expect(await row.boundingBox()).toEqual(before)
  await page.mouse.up()
  await page.locator('header').getByRole('heading', { level: 2, name: 'ben' }).waitFor()
  return before
}

afterAll(() => people.close())

test('the first chat takes the place of everybody, but not under a pointer that is down', async () => {
  const everybody = page.getByRole('region', { name: 'People' })
  await openWhileDoraWrites(everybody.getByRole('link', { name: 'ben' }))
  await chatRow(page, 'dora').waitFor()
})

test('a row cuts its last message after 40 characters', async () => {
  await openChat(page, 'ben')
  await say(page, `${'a'.repeat(39)}bcd`)
  await page.goto('/chat')
  await chatRow(page, 'ben')
    .getByText(`${'a'.repeat(39)}b...`, { exact: true })
    .waitFor()
})

test('a row stands still under a pointer that is down, and is the one that opens', async () => {
  await page.goto('/chat')
  const row = chatRow(page, 'ben')
  // It stands above the list, too, once something was written.
  await page.getByRole('complementary', { name: 'Notifications' }).waitFor()
  const before = await openWhileDoraWrites(row)
  await expect.poll(() => row.boundingBox()).not.toEqual(before)
})

test('a row with more than 99 unread messages says 99+', async () => {
  const author = await registerAccount(origin, 'carl')
  await pushMessages({ origin, author, recipientId: userId, count: 100 })
  const badge = chatRow(page, 'carl').getByRole('img', { name: '100 unread' })
  await badge.waitFor()
  await expect.poll(() => badge.textContent()).toBe('99+')
})

test('a filter outlives a search', async () => {
  await page.goto('/chat')
  await page.getByRole('button', { name: 'Favourites' }).click()
  await see('No favourite chats')
  await box.fill('carl')
  await page.getByRole('button', { name: 'Favourites' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Clear search' }).click()
  await see('No favourite chats')
})

test('the chips narrow the chats, not what is archived or starred', async () => {
  const chips = page.getByRole('group', { name: 'Filter chats' })
  for (const [path, words] of [
    ['/chat/archived', 'No archived chats'],
    ['/chat/starred', 'No starred messages'],
  ] as const) {
    await page.goto(path)
    await see(words)
    expect(await chips.count()).toBe(0)
  }
  await page.goto('/chat')
  await chips.waitFor()
})

test('the server is asked for people from two characters on, once the keys have rested for 300 ms', async () => {
  // The clock is the whole browser's, and no later test needs Ben's.
  const { page } = people.ben
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/users/search/')) asked.push(pathname.split('/').at(-1) ?? '')
  })
  await page.clock.install()
  await page.goto('/chat')
  await chatRow(page, 'ann').waitFor()
  await page.clock.pauseAt(Date.now() + 60_000)
  const field = page.getByRole('searchbox')
  await field.press('c')
  // Once its code is loaded and drawn, it hears the keys.
  const results = page.getByText('Type at least 2 characters')
  await expect
    .poll(async () => {
      await page.clock.runFor(1_000)
      return await results.isVisible()
    }, within)
    .toBe(true)
  await field.press('a')
  await page.clock.runFor(299)
  await field.press('r')
  await page.clock.runFor(299)
  await field.press('l')
  await page.clock.runFor(300)
  await expect.poll(() => asked, within).toEqual(['carl'])
  await page.clock.resume()
})

test('search and calls are behind Menu, and Enter gives a search an address of its own', async () => {
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
  }
  await page.goto('/chat')
  await choose('Calls')
  await see('Your recent calls will appear here.')
  await choose('Search')
  await page.waitForURL('**/chat/search')
  await expect.poll(() => hasFocus(box), within).toBe(true)
  const back = page.getByRole('button', { name: 'Back to chats' })
  await back.click()
  await page.waitForURL('**/chat')
  // The address changes first: the box of the search is another one.
  await back.waitFor({ state: 'detached' })
  await box.fill('carl')
  await box.press('Enter')
  await page.waitForURL('**/chat/search')
  await expect.poll(() => hasFocus(box), within).toBe(true)
  await page.reload()
  await expect.poll(() => box.inputValue()).toBe('carl')
  const panel = page.getByRole('region', { name: 'Chats' })
  await panel.getByRole('region', { name: 'Chats' }).getByRole('link', { name: 'carl' }).waitFor()
})

test('P6: what the server refused of the request queue is told in the list, tried again and discarded', async () => {
  await waitUntilKept(ann)
  await page.goto('/profile')
  await page.getByText('Member since').waitFor()
  await ann.goOffline()
  await page.getByRole('button', { name: 'Edit profile' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('ben')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Edit profile' }).waitFor()
  await ann.goOnline()
  await page.getByRole('button', { name: 'Back to chats' }).click()
  const refused = page.getByRole('list', { name: 'Refused by the server' })
  await refused.getByText("Your profile wasn't changed. Username already taken").waitFor()
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    expect(await findProblems(page)).toEqual([])
    await expect.poll(() => listOverflowing(page)).toEqual([])
  }
  await page.reload()
  const again = page.waitForResponse('**/api/users/profile')
  await refused.getByRole('button', { name: 'Try again' }).click()
  expect((await again).status()).toBe(409)
  await refused.getByText('Username already taken').waitFor()
  await refused.getByRole('button', { name: 'Discard' }).click()
  await refused.waitFor({ state: 'detached' })
  await page.reload()
  await chatRow(page, 'carl').waitFor()
  expect(await refused.count()).toBe(0)
})

test('the notification offer is made once, also where the browser’s question was closed', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  // Headless Chromium answers by itself; a person may dismiss the question.
  await page.addInitScript(() => {
    Notification.requestPermission = async () => 'default'
  })
  await page.goto('/chat')
  const offer = page.getByRole('complementary', { name: 'Notifications' })
  await offer.getByRole('button', { name: 'Turn on' }).click()
  await offer.waitFor({ state: 'detached' })
  await page.reload()
  await chatRow(page, 'carl').waitFor()
  expect(await offer.count()).toBe(0)
  await page.goto('/settings/notifications')
  await page.getByRole('button', { name: 'Turn on notifications' }).waitFor()
})

test('a row has a dot while the other person is online', async () => {
  await page.goto('/chat')
  const dot = chatRow(page, 'ben').getByText('online', { exact: true })
  await dot.waitFor({ state: 'attached' })
  await people.ben.page.goto('about:blank')
  await dot.waitFor({ state: 'detached', ...within })
})

function hasFocus(element: Locator): Promise<boolean> {
  return element.evaluate((node) => node === document.activeElement)
}
