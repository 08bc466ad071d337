import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushMessages, registerAccount } from '../server/server-accounts.ts'
import { readSession } from './account-steps.ts'
import { chatRow, composer, openChat, readWords, say } from './chat-steps.ts'
import { findProblems } from './find-problems.ts'
import { answerDeletion, hasFocus, untilAccepted } from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople()
const { page } = people.ann
const annId = (await readSession(people.ann)).userId
const carl = await registerAccount(people.server.origin, 'carl')
const { origin } = people.server

/** By its own text, not by its quotation. */
const message = (text: string) => page.getByRole('article', { name: `: ${text}` })

async function choose(name: string) {
  await page.getByRole('menuitem', { name, exact: true }).click()
}

/** Opens the menu of a chat, and chooses, by the keyboard. */
async function chooseByKey(username: string, name: string) {
  await chatRow(page, username).press('ArrowRight')
  await page.getByRole('menuitem', { name, exact: true }).press('Enter')
}

const expectFocus = (control: Locator) => expect.poll(() => hasFocus(control)).toBe(true)

beforeAll(async () => {
  await pushMessages({ origin, author: carl, recipientId: annId, count: 3 })
  await chatRow(page, 'carl').waitFor()
  await openChat(page, 'ben')
  await say(page, 'the lamp is lit')
})

afterAll(() => people.close())

test('a chat is pinned and marked as read from its menu', async () => {
  await page.goto('/chat')
  const row = chatRow(page, 'carl')
  await row.getByRole('img', { name: '3 unread' }).waitFor()
  await row.click({ button: 'right' })
  expect(await findProblems(page)).toEqual([])
  await choose('Mark as Read')
  await row.getByRole('img', { name: '3 unread' }).waitFor({ state: 'detached' })
  await row.click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Pin', exact: true }).waitFor()
  expect(await page.getByRole('menuitem', { name: 'Mark as Read' }).count()).toBe(0)
  await choose('Pin')
  await row.getByRole('img', { name: 'Pinned' }).waitFor()
  await page.getByRole('button', { name: 'Favourites' }).click()
  await expect
    .poll(() => page.getByRole('list', { name: 'Conversations' }).getByRole('link').count())
    .toBe(1)
  await page.getByRole('button', { name: 'Groups' }).click()
  await page.getByText('No groups').waitFor()
  await page.getByRole('button', { name: 'Unread' }).click()
  await page.getByText('No unread chats').waitFor()
})

test('the keyboard opens the menu and has its focus back afterwards', async () => {
  await page.goto('/chat')
  await chatRow(page, 'carl').focus()
  await page.keyboard.press('Shift+F10')
  await page.getByRole('menuitem', { name: 'Unpin' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await expectFocus(chatRow(page, 'carl'))
  await page.keyboard.press('ArrowDown')
  await expectFocus(chatRow(page, 'ben'))
})

test.each([
  ['first', 'carl', 'ben'],
  ['last', 'ben', 'carl'],
])(
  'the %s chat is archived and comes back, and the keyboard keeps its place',
  async (_, leaving, near) => {
    await chooseByKey(leaving, 'Archive')
    await chatRow(page, leaving).waitFor({ state: 'detached' })
    await expectFocus(chatRow(page, near))
    await page.getByRole('link', { name: /^Archived/ }).click()
    await page.waitForURL('**/chat/archived')
    await chooseByKey(leaving, 'Unarchive')
    await page.getByText('No archived chats').waitFor()
    await expectFocus(page.getByRole('heading', { name: 'Archived' }))
    await page.getByRole('button', { name: 'Back to chats' }).click()
    await chatRow(page, leaving).waitFor()
  },
)

test('a message is answered, edited, starred and explained', async () => {
  await openChat(page, 'ben')
  const menuOf = (text: string) => message(text).click({ button: 'right' })
  await menuOf('the lamp is lit')
  await choose('Reply')
  await page.getByText('Replying to yourself').waitFor()
  await say(page, 'an answer')
  await page.getByText('Replying to yourself').waitFor({ state: 'detached' })
  await menuOf('an answer')
  await choose('Edit')
  await composer(page).fill('a better answer')
  await composer(page).press('Enter')
  await message('a better answer').getByText('edited').waitFor()
  await menuOf('a better answer')
  await choose('Star')
  await message('a better answer').getByRole('img', { name: 'Starred' }).waitFor()
  await message('the lamp is lit').getByRole('img', { name: 'Delivered' }).waitFor()
  await menuOf('the lamp is lit')
  await choose('Info')
  const info = page.getByRole('dialog', { name: 'Message info' })
  for (const step of ['Written', 'Sent', 'Delivered']) await info.getByText(step).waitFor()
  expect(await findProblems(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.goto('/chat/starred')
  await page.getByRole('link', { name: 'a better answer' }).click()
  await message('a better answer').waitFor()
})

test('messages are selected, forwarded to several people, and deleted', async () => {
  await page.goto('/chat')
  await openChat(page, 'ben')
  await message('the lamp is lit').click({ button: 'right' })
  await choose('Select')
  await message('a better answer').click()
  const bar = page.getByRole('toolbar', { name: 'Selected messages' })
  await bar.getByText('2 selected').waitFor()
  expect(await findProblems(page)).toEqual([])
  await page.keyboard.press('Escape')
  await bar.waitFor({ state: 'detached' })
  await message('the lamp is lit').click({ button: 'right' })
  await choose('Forward')
  const dialog = page.getByRole('dialog', { name: 'Forward message to' })
  await dialog.getByRole('checkbox', { name: 'carl' }).check()
  expect(await findProblems(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Forward' }).click()
  await chatRow(page, 'carl').getByText('the lamp is lit').waitFor()
  // It leads there, maybe after the row has changed.
  await page.locator('header').getByRole('heading', { level: 2, name: 'carl' }).waitFor()
  await openChat(page, 'ben')
  await untilAccepted(page, 'a better answer')
  await message('a better answer').click({ button: 'right' })
  await choose('Select')
  await bar.getByRole('button', { name: 'Delete' }).click()
  await answerDeletion(page)
  await message('This message was deleted').waitFor()
  await openChat(people.ben.page, 'ann')
  await expect
    .poll(() => readWords(people.ben.page))
    .toEqual(['the lamp is lit', 'This message was deleted'])
})

test('a chat is deleted after a question, for oneself only', async () => {
  await page.goto('/chat')
  await chatRow(page, 'ben').click({ button: 'right' })
  await choose('Delete')
  const question = page.getByRole('dialog', {
    name: 'Are you sure you want to delete this conversation?',
  })
  await question.waitFor()
  expect(await findProblems(page)).toEqual([])
  await question.getByRole('button', { name: 'Cancel' }).click()
  // A closing dialog returns the focus a moment later, which would close the next menu.
  await expectFocus(chatRow(page, 'ben'))
  await chooseByKey('ben', 'Delete')
  await question.getByRole('button', { name: 'Delete' }).press('Enter')
  await chatRow(page, 'ben').waitFor({ state: 'detached' })
  await expectFocus(chatRow(page, 'carl'))
  await openChat(page, 'ben')
  await page.getByText('Start the conversation with ben!').waitFor()
  await say(page, 'said again')
  await expect
    .poll(() => readWords(people.ben.page))
    .toEqual(['the lamp is lit', 'This message was deleted', 'said again'])
})

test('nobody is at the address of an unknown person, and the chats are one press away', async () => {
  await page.goto('/chat/01900000-0000-7000-8000-000000000000')
  await page.getByText('Nobody is at this address.').waitFor()
  await page.getByRole('button', { name: 'Try Again' }).click()
  await page.getByText('Failed to load chat').waitFor()
  await page.goto('/chat/group/7')
  await page.getByText('Download WhatsApp for Windows').waitFor()
})

test('on a phone a drawer leads everywhere, and Escape closes it', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/chat')
  await page.getByRole('button', { name: 'Open menu' }).click()
  const drawer = page.getByRole('dialog', { name: 'Main' })
  await drawer.getByRole('link', { name: 'Profile' }).waitFor()
  expect(await findProblems(page)).toEqual([])
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Open menu' }).click()
  await drawer.getByRole('link', { name: 'Settings' }).click()
  await page.waitForURL('**/settings')
})
