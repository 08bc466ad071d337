import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { shortenToken } from '../device/shorten-token.ts'
import { readSession, signIn, waitUntilKept } from './account-steps.ts'
import { chatRow, openChat, readTicks, readWords, say } from './chat-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople({ keepsApp: true })
afterAll(() => people.close())

const everything = ['first', 'second', 'third', 'fourth', 'fifth']
const askWho = (token: string) =>
  fetch(`${people.server.origin}/api/users/me`, { headers: { authorization: `Bearer ${token}` } })

test('P1: messages that wait when the sign-in ends leave after signing in again, which every tab asks for in words', async () => {
  const { server, ann, ben } = people
  await openChat(ann.page, 'ben')
  await say(ann.page, 'first')
  await expect.poll(() => readTicks(ann.page, 'first')).toBe('Delivered')
  await ann.goOffline()
  await say(ann.page, 'second')
  await say(ann.page, 'third')

  const { token, userId } = await readSession(ann)
  const ended = await fetch(`${server.origin}/api/auth/logout`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId }),
  })
  expect(ended.ok).toBe(true)

  const tab = await ann.openTab('/chat')
  await chatRow(tab, 'ben').waitFor()
  await ann.goOnline()
  await expectWhy(tab)
  // Once is enough.
  await tab.reload()
  await tab.getByText('Stay logged in on this browser').waitFor()
  expect(await why(tab).count()).toBe(0)
  await tab.close()
  await expectSignInAgain(everything.slice(0, 3))
  await chatRow(ben.page, 'ann').click()
  await expectArrival(everything.slice(0, 3))
})

test('P1: messages that wait while the token runs out leave after signing in again', async () => {
  const { server, ann } = people
  await waitUntilKept(ann)
  await ann.goOffline()
  const { token } = await readSession(ann)
  const short = shortenToken({ dataDir: server.dataDir, token, keptMs: 2_000 })
  await ann.page.evaluate((short) => localStorage.setItem('token', short), short)
  await ann.page.reload()
  await say(ann.page, 'fourth')
  await say(ann.page, 'fifth')
  await expect.poll(async () => (await askWho(short)).status).toBe(401)

  await expectSignInAgain(everything)
  await expectArrival(everything)
})

const why = (page: Page) =>
  page.getByRole('alert').filter({ hasText: "You've been signed out. Sign in to continue." })

async function expectWhy(page: Page) {
  await page.bringToFront()
  await page.waitForURL('**/login')
  await why(page).waitFor()
}

/** The network returns, and with it the sign-in question; everything written is still there. */
async function expectSignInAgain(words: string[]) {
  const { ann } = people
  await ann.goOnline()
  await expectWhy(ann.page)
  expect((await readSession(ann)).token).toBe('')
  await signIn(ann)
  await openChat(ann.page, 'ben')
  await expect.poll(() => readWords(ann.page)).toEqual(words)
}

/** Ben, who has the conversation open, has everything once and in order. */
async function expectArrival(words: string[]) {
  const { ann, ben } = people
  await expect.poll(() => readWords(ben.page)).toEqual(words)
  await expect.poll(() => readTicks(ann.page, words.at(-1) ?? '')).toBe('Read')
}
