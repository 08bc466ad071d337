import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, pushMessages, registerAccount } from '../server/server-accounts.ts'
import { readSession } from './account-steps.ts'
import { chatRow, openChat, say, untilLive } from './chat-steps.ts'
import { holdRequests } from './faults/stop-requests.ts'
import { chooseOn, ownWords } from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const within = { timeout: 30_000 }
const people = await startTwoPeople()
const { ann, server } = people
const { page } = ann
const { userId: annId } = await readSession(ann)
const box = page.getByRole('searchbox', { name: 'Search or start a new chat' })
const found = page.getByRole('region', { name: 'Messages' }).getByRole('link')
const back = page.getByRole('button', { name: 'Back to chats' })
const starred = page.getByRole('link', { name: 'the lamp is lit' })
const see = (words: string) => page.getByText(words).filter({ visible: true }).first().waitFor()
const readPath = () => new URL(page.url()).pathname
let carl: Account

beforeAll(async () => {
  carl = await registerAccount(server.origin, 'carl')
  await pushToAnn(40)
  await chatRow(page, 'carl').waitFor()
  await openChat(page, 'ben')
  await say(page, 'the lamp is lit')
})

afterAll(() => people.close())

function pushToAnn(count: number) {
  return pushMessages({ origin: server.origin, author: carl, recipientId: annId, count })
}

function hasFocus(element: Locator): Promise<boolean> {
  return element.evaluate((node) => node === document.activeElement)
}

const expectFocus = (element: Locator) => expect.poll(() => hasFocus(element), within).toBe(true)

async function chooseInMenu(name: string) {
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

test('the arrow keys lead from the search box into the list and the results, and back', async () => {
  await page.goto('/chat')
  await chatRow(page, 'carl').waitFor()
  await box.press('ArrowDown')
  const rows = page.getByRole('list', { name: 'Conversations' }).getByRole('link')
  await expectFocus(rows.first())
  await page.keyboard.press('ArrowDown')
  await expectFocus(rows.nth(1))
  await page.keyboard.press('ArrowUp')
  await expectFocus(rows.first())
  await page.keyboard.press('ArrowUp')
  await expectFocus(box)
  await box.fill('lamp')
  await found.waitFor()
  await box.press('ArrowDown')
  await expectFocus(found)
  await page.keyboard.press('ArrowUp')
  await expectFocus(box)
})

test('one letter finds nobody and no message, and says what is missing', async () => {
  await box.fill('q')
  await see('Type at least 2 characters')
  expect(await page.getByText('No results found').count()).toBe(0)
  await box.fill('qq')
  await see('No results found')
})

test('the right arrow key opens the menu of a chat', async () => {
  await page.goto('/chat')
  await chatRow(page, 'carl').press('ArrowRight')
  await page.getByRole('menu', { name: 'Actions for carl' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await expectFocus(chatRow(page, 'carl'))
})

test('a chat that is read under the filter of unread ones stays until it is left', async () => {
  await page.goto('/chat')
  const badge = chatRow(page, 'carl').getByRole('img', { name: '40 unread' })
  await badge.waitFor()
  await page.getByRole('button', { name: 'Unread' }).click()
  await chatRow(page, 'ben').waitFor({ state: 'detached' })
  await chatRow(page, 'carl').click()
  await page.getByRole('button', { name: 'Go to the newest message' }).click()
  await badge.waitFor({ state: 'detached' })
  expect(await chatRow(page, 'carl').count()).toBe(1)
  await page.goBack()
  await see('No unread chats')
})

test('what is starred later can be walked through by the arrow keys, and leaves when the star goes', async () => {
  await page.goto('/chat/starred')
  await see('No starred messages')
  const tab = await ann.openTab('/chat')
  await openChat(tab, 'ben')
  await chooseOn(tab, 'the lamp is lit', 'Star')
  await starred.waitFor()
  await say(tab, 'another lamp')
  await chooseOn(tab, 'another lamp', 'Star')
  const other = page.getByRole('link', { name: 'another lamp' })
  await page.bringToFront()
  // A tab draws its rows a moment after it comes to the front.
  await expect
    .poll(async () => {
      await other.press('ArrowDown')
      return hasFocus(starred)
    }, within)
    .toBe(true)
  await chooseOn(tab, 'another lamp', 'Unstar')
  await other.waitFor({ state: 'detached' })
  await ownWords(tab, 'another lamp')
    .getByRole('img', { name: 'Starred' })
    .waitFor({ state: 'detached' })
  await tab.close()
})

test('the way up from a place does not pile up in the history', async () => {
  await page.goto('/settings')
  await page.goto('/chat')
  await chooseInMenu('Archived chats')
  await page.waitForURL('**/chat/archived')
  await back.click()
  await page.waitForURL('**/chat')
  await page.goBack()
  await page.waitForURL('**/settings')
})

test('from a starred message the way back is the one that led there', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/settings')
  await page.goto('/chat/starred')
  await starred.click()
  await ownWords(page, 'the lamp is lit').waitFor()
  // The chat forgets its initial message once that is shown in place.
  await expect.poll(() => page.evaluate('history.state.usr?.messageId'), within).toBeUndefined()
  await back.click()
  await page.waitForURL('**/chat/starred')
  await page.goBack()
  await page.waitForURL('**/settings')
})

test('the results of a search stay as they are beside a chat, and the way back leads to them', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/chat')
  await box.fill('message')
  await box.press('Enter')
  await page.waitForURL('**/chat/search')
  await expect.poll(() => found.count(), within).toBe(30)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => found.count(), within).toBe(40)
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' })
  await found.last().click()
  await ownWords(page, 'message 1 of 40').waitFor()
  expect(await found.count()).toBe(40)
  await page.setViewportSize({ width: 390, height: 844 })
  // The list has a way back, too, as long as it stands beside the chat.
  await found.first().waitFor({ state: 'hidden' })
  await back.filter({ visible: true }).click()
  await page.waitForURL('**/chat/search')
  await expect.poll(() => found.count(), within).toBe(40)
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.matches('input') ?? false))
    .toBe(false)
})

test('a chat that opens late leaves the cursor in the search that a person is in', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/chat')
  await openChat(page, 'carl')
  const held = await holdRequests(page, '**/assets/conversation-*.js')
  await page.reload()
  await box.fill('lam')
  await held.release()
  await page.getByLabel('Type a message').waitFor()
  await page.keyboard.type('p')
  expect(await box.inputValue()).toBe('lamp')
  await box.fill('')
})

test('a search that was cleared or replaced stays so after a reload', async () => {
  // The box and the address change a moment before the entry forgets what was searched for.
  const hasForgotten = () => page.evaluate('history.state?.usr?.query === undefined')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/chat')
  await box.fill('message')
  await found.first().click()
  await ownWords(page, 'message 40 of 40').waitFor()
  await page.reload()
  // What was not cleared is there again.
  await expect.poll(() => box.inputValue(), within).toBe('message')
  await box.fill('')
  await expect.poll(hasForgotten).toBe(true)
  await page.reload()
  await chatRow(page, 'carl').waitFor()
  expect(await box.inputValue()).toBe('')

  await box.fill('message')
  await box.press('Enter')
  await page.waitForURL('**/chat/search')
  await found.first().click()
  await ownWords(page, 'message 40 of 40').waitFor()
  await box.fill('lamp')
  // Those that were found before are shown until then.
  await found.filter({ hasText: 'lamp' }).first().waitFor()
  await page.goBack()
  await page.waitForURL('**/chat/search')
  expect(await box.inputValue()).toBe('lamp')
  await expect.poll(hasForgotten).toBe(true)
  await page.reload()
  await page.getByText('No chats').or(chatRow(page, 'carl')).first().waitFor()
  expect(await box.inputValue()).toBe('')
})

test('who is found beside a message that was found is led to', async () => {
  await page.goto('/chat')
  await box.fill('message')
  await found.first().click()
  await ownWords(page, 'message 40 of 40').waitFor()
  await expect.poll(() => page.evaluate('history.state.usr?.messageId'), within).toBeUndefined()
  const opened = readPath()
  await box.fill('ben')
  await page.getByRole('region', { name: 'Chats' }).getByRole('link', { name: 'ben' }).click()
  await ownWords(page, 'the lamp is lit').waitFor()
  expect(readPath()).not.toBe(opened)
})

test('a search says that it goes on until the server has answered', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/chat')
  const held = await holdRequests(page, '**/api/users/search/**')
  await box.fill('nobody at all')
  await see('Searching...')
  expect(await page.getByText('No results found').count()).toBe(0)
  await held.release()
  await see('No results found')
})

test('an offline search says that it looked on this device only, until the server answers', async () => {
  await page.goto('/chat')
  await chatRow(page, 'carl').waitFor()
  await ann.goOffline()
  await box.fill('carl')
  await see('only this device was searched')
  await page.getByRole('link', { name: 'carl' }).first().waitFor()
  await box.fill('nobody at all')
  await see('No results found')
  await see('only this device was searched')
  await ann.goOnline()
  await page.getByText('only this device was searched').waitFor({ state: 'detached' })
  await see('No results found')
})

test('a failed search is retried, and finds the person', async () => {
  await page.goto('/chat')
  await chatRow(page, 'carl').waitFor()
  await registerAccount(server.origin, 'dora')
  const failed = { count: 0 }
  await page.route('**/api/users/search/**', async (route) => {
    failed.count += 1
    if (failed.count > 2) return await route.continue()
    await (failed.count === 1 ? route.abort('connectionreset') : route.fulfill({ status: 502 }))
  })
  await box.fill('dora')
  await page.getByRole('link', { name: 'dora' }).waitFor()
  await expect.poll(() => failed.count, within).toBe(3)
  await page.unrouteAll({ behavior: 'wait' })
})

test('a link stays beneath the pointer when the person writes between press and release', async () => {
  const emil = await registerAccount(server.origin, 'emil')
  await page.goto('/chat')
  await untilLive(page, chatRow(page, 'ben'))
  await box.fill('emil')
  const link = page.getByRole('region', { name: 'People' }).getByRole('link', { name: 'emil' })
  await link.hover()
  await page.mouse.down()
  const title = await page.title()
  await pushMessages({ origin: server.origin, author: emil, recipientId: annId, count: 1 })
  // Another unread chat: the message is here.
  await expect.poll(() => page.title(), within).not.toBe(title)
  await page.mouse.up()
  await page.locator('header').getByRole('heading', { level: 2, name: 'emil' }).waitFor(within)
})

test('Go Back leads to the chats where there is no way back', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/chat')
  const opened = page.waitForEvent('popup')
  await page.evaluate(() => void window.open('/nowhere', '_blank'))
  const tab = await opened
  await tab.getByRole('button', { name: 'Go Back' }).click()
  await tab.waitForURL('**/chat')
  await tab.close()
  await page.goto('/nowhere')
  await page.getByText('If you think this is an error, please contact support.').waitFor()
  await page.getByRole('button', { name: 'Go Back' }).click()
  await page.waitForURL('**/chat')
  await page.goto('/nowhere')
  await page.getByRole('button', { name: 'Go to Chat' }).click()
  await chatRow(page, 'carl').waitFor()
  expect(readPath()).toBe('/chat')
})

test('a lost network is told after a moment, and takes no place before', async () => {
  // The clock is the whole browser's, and no later test needs Ben's.
  const { page, profile } = people.ben
  await page.clock.install()
  await page.goto('/chat')
  // Before it is connected, words are on their way already: those that follow come at once.
  await untilLive(page, chatRow(page, 'ann'))
  await page.clock.pauseAt(Date.now() + 60_000)
  await profile.context.setOffline(true)
  await expect.poll(() => page.evaluate(() => navigator.onLine)).toBe(false)
  const notice = page.getByText("You're offline.")
  await page.clock.runFor(1_900)
  expect(await notice.count()).toBe(0)
  // The page's count may start slightly after the browser's.
  const told = async () => {
    await page.clock.runFor(200)
    return await notice.count()
  }
  await expect.poll(told).toBe(1)
})
