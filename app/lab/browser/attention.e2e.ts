import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushMessages, registerAccount } from '../server/server-accounts.ts'
import { readSession } from './account-steps.ts'
import { chatRow, openChat, readTicks, say } from './chat-steps.ts'
import { chooseOn } from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople()
const { page } = people.ann
const bensPage = people.ben.page
const badge = (name: string) => chatRow(page, name).getByRole('img', { name: /unread$/ })

beforeAll(async () => {
  await openChat(page, 'ben')
  await openChat(bensPage, 'ann')
  await say(page, 'the lamp is lit')
})

afterAll(() => people.close())

test('what comes into the open chat, which somebody looks at, leaves its row and the title calm', async () => {
  await page.bringToFront()
  await page.evaluate(() => {
    const seen: string[] = []
    Object.assign(globalThis, { seenUnread: seen })
    // A count waits 1.5 s for the reading, which takes one: a busy machine would not keep to that.
    const begin = globalThis.setTimeout
    const beginOther = (run: () => void, ms?: number) => begin(run, ms === 1_500 ? 60_000 : ms)
    Object.assign(globalThis, { setTimeout: beginOther })
    new MutationObserver(() => {
      const marks = document.querySelectorAll('[aria-label$="unread"]')
      for (const mark of marks) seen.push(mark.getAttribute('aria-label') ?? '')
      if (document.title.startsWith('(')) seen.push(document.title)
    }).observe(document, { childList: true, subtree: true, characterData: true, attributes: true })
  })
  await say(bensPage, 'the boat is ready')
  await chatRow(page, 'ben').getByText('the boat is ready').waitFor()
  await page.bringToFront()
  await expect.poll(() => readTicks(bensPage, 'the boat is ready')).toBe('Read')
  expect(await page.evaluate('seenUnread')).toEqual([])
})

test('a muted chat has a grey badge, and counts neither in the title nor on the rail', async () => {
  await page.goto('/chat')
  await chatRow(page, 'ben').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Mute', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Always' }).click()
  await chatRow(page, 'ben').getByRole('img', { name: 'Muted' }).waitFor()
  await say(bensPage, 'nobody hears this')
  await badge('ben').waitFor()
  const { shown, grey } = await badge('ben').evaluate((element) => {
    const probe = document.createElement('i')
    probe.style.color = 'var(--color-text-muted)'
    document.body.append(probe)
    return {
      shown: getComputedStyle(element).backgroundColor,
      grey: getComputedStyle(probe).color,
    }
  })
  expect(shown).toBe(grey)
  expect(await page.title()).toBe('Petrel')
  expect(await page.getByRole('link', { name: 'Chats', exact: true }).count()).toBe(1)
})

test('the count of archived chats is no live region', async () => {
  await chatRow(page, 'ben').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Archive', exact: true }).click()
  const archived = page.getByRole('link', { name: 'Archived 1' })
  await archived.waitFor()
  expect(await archived.locator('output, [role="status"], [aria-live]').count()).toBe(0)
})

test('the jump button hands the focus on to the newest message, and lies on no ticks', async () => {
  const author = await registerAccount(people.server.origin, 'carl')
  const recipientId = (await readSession(people.ann)).userId
  await pushMessages({ origin: people.server.origin, author, recipientId, count: 60 })
  // They come in pages: a chat that opened with the first one would end there.
  await chatRow(page, 'carl').getByText('message 60 of').waitFor()
  await chatRow(page, 'carl').click()
  const jump = page.getByRole('button', { name: /^Go to the newest message/ })
  await jump.waitFor()
  const button = await jump.boundingBox()
  const list = await page.getByRole('log').boundingBox()
  const rightEdge = (list?.x ?? 0) + (list?.width ?? 0)
  expect(rightEdge - (button?.x ?? 0) - (button?.width ?? 0)).toBeGreaterThan(120)
  await jump.focus()
  await jump.press('Enter')
  const newest = page.getByRole('article', { name: 'message 60 of 60' })
  await expect
    .poll(() => newest.evaluate((element) => element === document.activeElement))
    .toBe(true)
})

test('message info closes with its button, and says when it was written', async () => {
  await say(page, 'an answer')
  await chooseOn(page, 'an answer', 'Info')
  const dialog = page.getByRole('dialog', { name: 'Message info' })
  await dialog.getByText('Written').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })
})
