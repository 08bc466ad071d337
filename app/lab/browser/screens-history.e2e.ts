import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushMessages, registerAccount } from '../server/server-accounts.ts'
import { readSession, registerPerson } from './account-steps.ts'
import { chatRow, composer, message } from './chat-steps.ts'
import { findProblems } from './find-problems.ts'
import { createPerson } from './person.ts'
import { startBuiltServer } from './start-built-server.ts'

const unreadCount = 240
const server = await startBuiltServer()
const ann = await createPerson(server, 'ann')
const ben = await registerAccount(server.origin, 'ben')
const { page } = ann
const newest = page.getByRole('button', { name: /^Go to the newest message/ })
const bubble = (number: number, count = unreadCount) =>
  page.getByRole('article').filter({ hasText: `message ${number} of ${count},` })

beforeAll(async () => {
  await registerPerson(ann)
  const recipientId = (await readSession(ann)).userId
  await pushMessages({ origin: server.origin, author: ben, recipientId, count: unreadCount })
  await chatRow(page, 'ben')
    .getByRole('img', { name: `${unreadCount} unread` })
    .waitFor()
})

afterAll(async () => {
  await ann.close()
  await server.close()
})

test('a chat with more unread than a page opens at the first of them, under a line', async () => {
  await expect.poll(() => page.title()).toBe('(99+) Petrel')
  await chatRow(page, 'ben').click()
  await bubble(1).waitFor()
  await page.getByText('Unread messages').waitFor()
  // Messages visible at the opening are no longer new.
  await expect
    .poll(() => newest.getAttribute('aria-label'))
    .toMatch(/^Go to the newest message, 2[123]\d new$/)
  expect(await findProblems(page)).toEqual([])
})

test('the newest message is one click away, and all is read there', async () => {
  await newest.click()
  await bubble(unreadCount).waitFor()
  await newest.waitFor({ state: 'detached' })
  await expect.poll(() => page.title()).toBe('ben | Petrel')
})

test('older pages come in, and what is read stays where it is', async () => {
  await page.mouse.move(900, 400)
  const moved: number[] = []
  for (let step = 0; step < 25; step++) {
    const { before, after } = await scrollUp()
    for (const [id, y] of Object.entries(after.places)) {
      const earlier = before.places[id]
      if (earlier !== undefined) moved.push(y - earlier)
    }
  }
  expect(Math.max(...moved)).toBeLessThanOrEqual(301)
  expect(Math.min(...moved)).toBeGreaterThanOrEqual(-1)
})

test('a message that arrives does not move what somebody reads further up', async () => {
  const before = await readPlaces()
  const [id = ''] = Object.keys(before.places)
  const recipientId = (await readSession(ann)).userId
  await pushMessages({ origin: server.origin, author: ben, recipientId, count: 3 })
  await expect.poll(() => newest.getAttribute('aria-label')).toBe('Go to the newest message, 3 new')
  expect((await readPlaces()).places[id]).toBeCloseTo(before.places[id] ?? 0, 0)
})

test('a date is gone to from the menu', async () => {
  await newest.click()
  await bubble(3, 3).waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Go to date' }).click()
  const dialog = page.getByRole('dialog', { name: 'Go to date' })
  await dialog.waitFor()
  expect(await findProblems(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Go', exact: true }).click()
  await bubble(1).waitFor()
})

test('a quoted message is shown however old it is', async () => {
  await bubble(1).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Reply' }).click()
  await composer(page).fill('an answer to the oldest')
  await composer(page).press('Enter')
  await message(page, 'an answer to the oldest').waitFor()
  await expect.poll(() => bubble(2).isVisible()).toBe(false)
  await message(page, 'an answer to the oldest').getByRole('button').first().click()
  await bubble(2).waitFor()
})

/** One wheel turn. The list may still be moving to a target, which cancels a turn. */
async function scrollUp() {
  let before = await readPlaces()
  let after = before
  await expect
    .poll(async () => {
      before = await readPlaces()
      await page.mouse.wheel(0, -300)
      after = await readPlaces()
      return after.top !== before.top
    })
    .toBe(true)
  return { before, after }
}

/** Each drawn message's position in the window, in px, once the list is still. */
async function readPlaces(): Promise<{ top: number; places: Record<string, number> }> {
  return page.getByRole('log').evaluate(async (log) => {
    for (let still = 0, top = log.scrollTop; still < 5; ) {
      await new Promise(requestAnimationFrame)
      still = log.scrollTop === top ? still + 1 : 0
      top = log.scrollTop
    }
    const articles = [...log.querySelectorAll<HTMLElement>('[data-message-id]')]
    const places = articles.map((article) => [
      article.dataset.messageId ?? '',
      article.getBoundingClientRect().top,
    ])
    return { top: log.scrollTop, places: Object.fromEntries(places) }
  })
}
