import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushMessages, registerAccount } from '../server/server-accounts.ts'
import { readSession } from './account-steps.ts'
import {
  chatRow,
  composer,
  message,
  openChat,
  readPresence,
  say,
  typeUntilSeen,
} from './chat-steps.ts'
import { findProblems } from './find-problems.ts'
import { hasFocus } from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const unreadCount = 240
const people = await startTwoPeople({ keepsApp: true })
const { ann, ben, server } = people
const { page } = ann
const carl = await registerAccount(server.origin, 'carl')
const newest = page.getByRole('button', { name: /^Go to the newest message/ })
const line = page.getByText('Unread messages', { exact: true })
const announced = page.getByRole('status').filter({ hasText: /^(ben|carl): / })
const floatingDate = page.locator('[data-floating-date]')

/** Carl's message with this number in his batch. */
const bubble = (number: number, count = unreadCount) =>
  page.getByRole('article').filter({ hasText: `message ${number} of ${count},` })

async function carlWrites(count: number) {
  const recipientId = (await readSession(ann)).userId
  await pushMessages({ origin: server.origin, author: carl, recipientId, count })
}

beforeAll(async () => {
  await carlWrites(unreadCount)
  await chatRow(page, 'carl')
    .getByRole('img', { name: `${unreadCount} unread` })
    .waitFor()
})

afterAll(() => people.close())

test('a chat that is opened is read, and begins at its first unread message all the same', async () => {
  await chatRow(page, 'carl').click()
  await bubble(1).waitFor()
  await line.waitFor()
  await chatRow(page, 'carl')
    .getByRole('img', { name: /unread/ })
    .waitFor({ state: 'detached' })
  expect(await line.isVisible()).toBe(true)
  await expect
    .poll(async () => [
      ((await readNewCount()) ?? Number.NaN) + (await readLastInSight()),
      await isInSight(bubble(unreadCount)),
    ])
    .toEqual([unreadCount, false])
})

test('the day is shown while one scrolls, moves nothing, and is not read out', async () => {
  // It goes a moment after the list has opened, too.
  await expect.poll(() => floatingDate.isVisible()).toBe(false)
  const before = await readHeight()
  await page.mouse.move(900, 400)
  for (let step = 0; step < 4; step++) await page.mouse.wheel(0, 400)
  // It goes when the list has been still for a moment: whoever looks late scrolls on.
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 40)
      return await floatingDate.isVisible()
    })
    .toBe(true)
  await expect.poll(() => floatingDate.textContent()).toBe('Today')
  expect(await floatingDate.getAttribute('aria-hidden')).toBe('true')
  expect(await readHeight()).toBe(before)
  expect(await findProblems(page)).toEqual([])
  await expect.poll(() => floatingDate.isVisible()).toBe(false)
})

test('what one scrolls to is counted off, and is not read out as new', async () => {
  const before = (await readNewCount()) ?? 0
  for (let step = 0; step < 5; step++) {
    await page.mouse.wheel(0, 600)
    await untilStill()
  }
  await expect.poll(readNewCount).toBeLessThan(before - 30)
  expect(await announced.count()).toBe(0)
})

test('what comes in is read out wherever one reads', async () => {
  await carlWrites(1)
  await expect.poll(() => announced.textContent()).toContain('carl: message 1 of 1,')
  await newest.click()
  await bubble(1, 1).waitFor()
  await newest.waitFor({ state: 'detached' })
  expect(await line.count()).toBe(0)
})

test('what comes in out of sight gets a line of its own, and an answer takes it away', async () => {
  await scrollUp()
  await carlWrites(2)
  await expect.poll(readNewCount).toBe(2)
  await newest.click()
  await line.waitFor()
  await expect
    .poll(() => rowOf(line).getByRole('article').getAttribute('aria-label'))
    .toContain('1 of 2,')
  await chatRow(page, 'carl')
    .getByRole('img', { name: /unread/ })
    .waitFor({ state: 'detached' })
  await say(page, 'I have read it')
  await line.waitFor({ state: 'detached' })
})

test('what comes in while the page is hidden gets a line, and is read when it is back', async () => {
  await untilCarlIsRead(2)
  await setVisibility('hidden')
  await carlWrites(3)
  await line.waitFor()
  await expect
    .poll(() => rowOf(line).getByRole('article').getAttribute('aria-label'))
    .toContain('1 of 3,')
  await chatRow(page, 'carl').getByRole('img', { name: '3 unread' }).waitFor()
  await setVisibility('visible')
  await chatRow(page, 'carl')
    .getByRole('img', { name: /unread/ })
    .waitFor({ state: 'detached' })
  expect(await line.isVisible()).toBe(true)
  await carlWrites(4)
  await untilCarlIsRead(4)
  expect(await rowOf(line).getByRole('article').getAttribute('aria-label')).toContain('1 of 3,')
})

test('a chat that is opened again has no line', async () => {
  await openChat(page, 'ben')
  await openChat(page, 'carl')
  await bubble(4, 4).waitFor()
  expect(await line.count()).toBe(0)
})

test('Home and End lead to the first and the newest message of the chat, not of what is drawn', async () => {
  await bubble(4, 4).focus()
  await page.keyboard.press('Home')
  await expect.poll(() => hasFocus(bubble(1))).toBe(true)
  await expect.poll(() => isInSight(bubble(1))).toBe(true)
  await page.keyboard.press('End')
  await expect.poll(() => hasFocus(bubble(4, 4))).toBe(true)
  await expect.poll(() => isInSight(bubble(4, 4))).toBe(true)
})

test('a found message is shown as often as it is chosen, and no reload leads back to it', async () => {
  await page.getByRole('searchbox', { name: 'Search or start a new chat' }).fill('message 7 of 240')
  // While the index is being built, other messages may be the last of the list.
  const found = page
    .getByRole('region', { name: 'Messages' })
    .getByRole('link')
    .filter({ hasText: 'message 7 of' })
  for (let time = 0; time < 2; time++) {
    await found.click()
    await expect.poll(() => isInSight(bubble(7))).toBe(true)
    await newest.click()
    await expect.poll(() => isInSight(bubble(4, 4))).toBe(true)
  }
  await page.reload()
  await bubble(4, 4).waitFor()
  await untilStill()
  await expect.poll(() => isInSight(bubble(4, 4))).toBe(true)
  expect(await bubble(7).count()).toBe(0)
})

test('typing is seen in a chat without messages, and its first message is read out', async () => {
  await openChat(page, 'ben')
  await page.getByText('Start the conversation with ben!').waitFor()
  await openChat(ben.page, 'ann')
  // Ann's page has just loaded: what is typed before its line is up is told to nobody.
  const sign = page.getByRole('img', { name: 'ben is typing' })
  await typeUntilSeen({ typist: ben.page, reader: page, sign })
  await page.getByText('No messages yet').waitFor()
  await say(ben.page, 'thinking of you')
  await expect.poll(() => announced.textContent()).toBe('ben: thinking of you')
})

test('of somebody without a time nothing is said: a block would show itself by a false never', async () => {
  await openChat(page, 'carl')
  await page.getByRole('heading', { level: 2, name: 'carl' }).waitFor()
  await expect.poll(() => readPresence(page)).toBe('')
})

test('what is being edited is kept while messages are selected', async () => {
  await openChat(page, 'ben')
  await say(page, 'me to')
  await message(page, 'me to').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await composer(page).fill('me too')
  await message(page, 'thinking of you').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Select' }).click()
  await page.getByText('1 selected').waitFor()
  await expect.poll(() => composer(page).isVisible()).toBe(false)
  await page.keyboard.press('Escape')
  await page.getByText('1 selected').waitFor({ state: 'detached' })
  await expect.poll(() => composer(page).inputValue()).toBe('me too')
  await expect
    .poll(() => composer(page).evaluate((field) => field === document.activeElement))
    .toBe(true)
  await page.keyboard.press('Enter')
  await message(page, 'me too').getByText('edited').waitFor()
})

test('a reply that is begun is there again after another chat', async () => {
  const isReplying = page.getByText('Replying to ben', { exact: true })
  await openChat(page, 'ben')
  await message(page, 'thinking of you').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Reply' }).click()
  await isReplying.waitFor()
  await composer(page).fill('half an answer')
  await openChat(page, 'carl')
  await isReplying.waitFor({ state: 'detached' })
  await openChat(page, 'ben')
  await isReplying.waitFor()
  await expect.poll(() => composer(page).inputValue()).toBe('half an answer')
  await page.keyboard.press('Enter')
  await isReplying.waitFor({ state: 'detached' })
  await message(page, 'half an answer').getByText('thinking of you').waitFor()
  await openChat(page, 'carl')
  await openChat(page, 'ben')
  await message(page, 'half an answer').waitFor()
  expect(await isReplying.count()).toBe(0)
})

test('at midnight today is yesterday, then a date, and a date header leads to its own day', async () => {
  await page.clock.install()
  await page.reload()
  await openChat(page, 'ben')
  const header = (name: string) => page.getByRole('log').getByRole('button', { name, exact: true })
  await header('Today').waitFor()
  await ann.goOffline()
  const untilMidnight = await page.evaluate(() => new Date().setHours(24, 0, 0, 0) - Date.now())
  await page.clock.fastForward(untilMidnight + 60_000)
  await header('Yesterday').waitFor()
  await say(page, 'a new day')
  await header('Today').click()
  const dialog = page.getByRole('dialog', { name: 'Go to date' })
  const today = await page.evaluate(() => new Date().toLocaleDateString('sv-SE'))
  await expect.poll(() => dialog.getByLabel('Date').inputValue()).toBe(today)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  const dayBefore = await page.evaluate(() => {
    const day = new Date(new Date().setHours(-24))
    const pad = (part: number) => String(part).padStart(2, '0')
    return `${pad(day.getDate())}/${pad(day.getMonth() + 1)}/${day.getFullYear()}`
  })
  await page.clock.fastForward(24 * 3_600_000)
  await header(dayBefore).waitFor()
  await header('Yesterday').waitFor()
  expect(await header('Today').count()).toBe(0)
})

/** The list entry that contains this element. */
function rowOf(part: typeof line) {
  return part.locator('xpath=ancestor::*[.//article][1]')
}

async function readNewCount(): Promise<number | undefined> {
  const label = (await newest.getAttribute('aria-label')) ?? ''
  const [, count] = /, (\d+) new$/.exec(label) ?? []
  return count === undefined ? undefined : Number(count)
}

/** The number of Carl's lowest message that is visible enough to count as seen. */
async function readLastInSight(): Promise<number> {
  return page.getByRole('log').evaluate((log) => {
    const { bottom } = log.getBoundingClientRect()
    const last = [...log.querySelectorAll('article')].findLast(
      (article) => (article.parentElement ?? article).getBoundingClientRect().top <= bottom - 24,
    )
    return Number(/message (\d+) of/.exec(last?.textContent ?? '')?.[1])
  })
}

async function isInSight(part: typeof line): Promise<boolean> {
  // In one call: a row that leaves the list between two would be waited for.
  return part.evaluateAll((parts) => {
    const [only] = parts
    const area = only?.closest('[role="log"]')?.getBoundingClientRect()
    if (!only || !area || parts.length > 1) return false
    const { top, bottom } = only.getBoundingClientRect()
    return top >= area.top - 1 && bottom <= area.bottom + 1
  })
}

async function readHeight(): Promise<number> {
  return page.getByRole('log').evaluate((log) => log.clientHeight)
}

/** Resolves when the list has been still for some frames. */
async function untilStill() {
  await page.getByRole('log').evaluate(async (log) => {
    for (let still = 0, top = log.scrollTop; still < 5; ) {
      await new Promise(requestAnimationFrame)
      still = log.scrollTop === top ? still + 1 : 0
      top = log.scrollTop
    }
  })
}

/** Scrolls away from the end. After a jump the list holds on to its target for a moment. */
async function scrollUp() {
  await page.mouse.move(900, 400)
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, -800)
      await untilStill()
      return newest.isVisible()
    })
    .toBe(true)
}

/** Resolves when the server has marked the last message of Carl's batch as read. */
async function untilCarlIsRead(count: number) {
  const { userId } = await readSession(ann)
  const headers = { authorization: `Bearer ${carl.token}` }
  await expect
    .poll(async () => {
      const response = await fetch(`${server.origin}/api/messages/${userId}`, { headers })
      const messages: { content: string; status: string }[] = await response.json()
      return messages.find(({ content }) => content.startsWith(`message ${count} of ${count},`))
    })
    .toMatchObject({ status: 'read' })
}

/** Headless Chromium never hides a page, so this simulates it. */
async function setVisibility(state: DocumentVisibilityState) {
  await page.evaluate((state) => {
    Object.defineProperty(document, 'visibilityState', { get: () => state, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)
}
