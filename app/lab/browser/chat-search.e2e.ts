import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushMessages, registerAccount } from '../server/server-accounts.ts'
import { readSession } from './account-steps.ts'
import { chatRow, composer } from './chat-steps.ts'
import { holdRequests } from './faults/stop-requests.ts'
import { readHighlightMs, readOffCentre, recordHighlights } from './led-to.ts'
import { chooseOn, ownWords } from './message-steps.ts'
import { startAnnAlone } from './start-two-people.ts'

const count = 620
// The tests delay requests; a service worker would make some in place of the page.
const people = await startAnnAlone()
const { ann, server } = people
const { page } = ann
const carl = await registerAccount(server.origin, 'carl')
const recipientId = (await readSession(ann)).userId
const field = page.getByRole('searchbox', { name: 'Search in this chat' })
const bar = page.getByRole('search').filter({ has: field })
const middle = ownWords(page, `message 300 of ${count},`)
const highlights = await recordHighlights(page)

beforeAll(async () => {
  await pushMessages({ origin: server.origin, author: carl, recipientId, count })
  await chatRow(page, 'carl').getByText(`message ${count} of`).waitFor()
  await chatRow(page, 'carl').click()
  await composer(page).waitFor()
})

afterAll(() => people.close())

async function search(text: string) {
  await page.keyboard.press('Control+f')
  await field.fill(text)
}

test('a hit comes to the middle and is lit up for 2 s, from the search and from the stars', async () => {
  await search(`message 300 of`)
  await expect.poll(() => highlights.list(`message 300 of ${count},`)).toContain(2_000)
  await expect.poll(() => readOffCentre(middle)).toBeLessThan(40)
  await expect.poll(() => readHighlightMs(middle)).toBeUndefined()
  await page.keyboard.press('Escape')
  await chooseOn(page, `message 300 of ${count},`, 'Star')
  await middle.getByRole('img', { name: 'Starred' }).waitFor()
  await page.goto('/chat/starred')
  await page.getByRole('link', { name: /message 300 of/ }).click()
  await expect.poll(() => highlights.list(`message 300 of ${count},`)).toContain(2_000)
  await expect.poll(() => readOffCentre(middle)).toBeLessThan(40)
  await expect.poll(() => readHighlightMs(middle)).toBeUndefined()
})

test('of more places than are read at once it says so, and goes on behind the last', async () => {
  // Before any timer: a person's next key may come before the page gets to them.
  await page.evaluate(() => {
    new MutationObserver((_changes, observer) => {
      const status = document.querySelector('search [role="status"]')
      if (status?.textContent !== '1 of 500+') return
      observer.disconnect()
      const key = new KeyboardEvent('keydown', { key: 'F3', shiftKey: true, bubbles: true })
      document.body.dispatchEvent(key)
    }).observe(document.body, { childList: true, subtree: true, characterData: true })
  })
  await search('message')
  await bar.getByText(`500 of ${count}`, { exact: true }).waitFor()
  await page.keyboard.press('F3')
  await bar.getByText(`501 of ${count}`, { exact: true }).waitFor()
  await page.keyboard.press('Escape')
})

test('what only the server has is found too, once, and it is said that it has not arrived', async () => {
  const held = await holdRequests(page, '**/sync/**')
  await page.reload()
  await composer(page).waitFor()
  // Inside a word the server finds it too, and the device neither finds nor marks it.
  for (const content of ['message about a plantern', 'message about a lantern']) {
    const sent = await fetch(`${server.origin}/api/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${carl.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ recipientId, content, type: 'text' }),
    })
    expect(sent.status).toBe(201)
  }
  await search('lantern')
  await bar.getByText('1 of 1', { exact: true }).waitFor()
  const note = bar.getByText("This message hasn't arrived on this device yet.")
  await note.waitFor()
  await held.release()
  await ownWords(page, 'message about a lantern').waitFor({ state: 'attached' })
  await highlights.clear()
  await field.press('Enter')
  await expect.poll(() => highlights.list('message about a lantern')).toContain(2_000)
  await note.waitFor({ state: 'detached' })
  await bar.getByText('1 of 1', { exact: true }).waitFor()
})
