import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSession } from './account-steps.ts'
import { composer, message, openChat, say } from './chat-steps.ts'
import { findProblems } from './find-problems.ts'
import { hasFocus } from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople()
const { page } = people.ann
const listSearch = page.getByRole('searchbox', { name: 'Search or start a new chat' })
const chatSearch = page.getByRole('searchbox', { name: 'Search in this chat' })
const found = page.getByRole('region', { name: 'Messages' }).getByRole('link')

beforeAll(async () => {
  await openChat(page, 'ben')
  for (const text of ['the first lantern', 'rope and tar', 'a second lantern', 'Crème brûlée']) {
    await say(page, text)
  }
})

afterAll(() => people.close())

test('the list finds people and messages, and a message leads to its place', async () => {
  await page.goto('/chat')
  await listSearch.fill('lanter')
  await expect.poll(() => found.count()).toBe(2)
  expect(await findProblems(page)).toEqual([])
  await found.last().click()
  await message(page, 'the first lantern').waitFor()
  await expect.poll(() => listSearch.inputValue()).toBe('lanter')
  await listSearch.fill('be')
  const panel = page.getByRole('region', { name: 'Chats' })
  await panel.getByRole('region', { name: 'Chats' }).getByRole('link', { name: 'ben' }).waitFor()
  await listSearch.fill('nothing like it')
  await page.getByText('No results found').waitFor()
})

test('P10: the list searches without a network', async () => {
  await people.ann.goOffline()
  await listSearch.fill('creme')
  await expect.poll(() => found.allTextContents()).toEqual([expect.stringContaining('Crème')])
  await people.ann.goOnline()
})

test('the search route begins with the query that came with the navigation', async () => {
  await page.evaluate(() => history.replaceState({ usr: { query: 'tar' } }, '', '/chat/search'))
  await page.reload()
  await expect.poll(() => listSearch.inputValue()).toBe('tar')
  await expect.poll(() => found.count()).toBe(1)
  await expect.poll(() => page.title()).toBe('Search | Petrel')
})

test('a chat is searched by keys: Ctrl+F, F3, Shift+F3, round at the ends, Escape', async () => {
  await page.goto('/chat')
  await openChat(page, 'ben')
  await page.keyboard.press('Control+f')
  await chatSearch.fill('LANTERN')
  const bar = page.getByRole('search').filter({ has: chatSearch })
  await bar.getByText('1 of 2').waitFor()
  await message(page, 'a second lantern').locator('mark').waitFor()
  for (const place of ['2 of 2', '1 of 2']) {
    await page.keyboard.press('F3')
    await bar.getByText(place).waitFor()
  }
  await page.keyboard.press('Shift+F3')
  await bar.getByText('2 of 2').waitFor()
  expect(await findProblems(page)).toEqual([])
  await page.keyboard.press('Escape')
  await chatSearch.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await chatSearch.waitFor()
  await page.getByRole('button', { name: 'Close search' }).click()
})

test('somebody is found by phone number, or not, in words', async () => {
  const { token } = await readSession(people.ben)
  const changed = await fetch(`${people.server.origin}/api/users/profile`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ phone_number: '491701234567' }),
  })
  expect(changed.status).toBe(200)
  await page.goto('/chat')
  const newChat = page.getByRole('button', { name: 'New chat' }).first()
  const way = page.getByRole('button', { name: 'Search by Phone Number' })
  const dialog = page.getByRole('dialog', { name: 'Search by Phone Number' })
  await newChat.press('Enter')
  await way.press('Enter')
  await dialog.getByRole('textbox').press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(newChat)).toBe(true)
  await newChat.click()
  await way.click()
  const search = dialog.getByRole('button', { name: 'Search' })
  await search.click()
  await dialog.getByText('Please enter a phone number').waitFor()
  await dialog.getByRole('textbox').fill('12')
  await search.click()
  await dialog.getByText('Please enter a valid phone number with country code').waitFor()
  await dialog.getByRole('textbox').fill('+49 170 7654321')
  await search.click()
  await dialog.getByText('No user found with that phone number').waitFor()
  expect(await findProblems(page)).toEqual([])
  await dialog.getByRole('textbox').fill('+49 170 1234567')
  await search.click()
  await composer(page).waitFor()
  await page.getByText('+491701234567').waitFor()
})
