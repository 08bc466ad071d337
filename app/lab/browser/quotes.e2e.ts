import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushMessages, registerAccount } from '../server/server-accounts.ts'
import { readSession } from './account-steps.ts'
import { chatRow, composer } from './chat-steps.ts'
import { readHighlightMs, readOffCentre, recordHighlights } from './led-to.ts'
import { ownWords, seeBriefly } from './message-steps.ts'
import { startAnnAlone } from './start-two-people.ts'
import { holdOffer, untilNoted } from './undo-steps.ts'

const count = 120
const people = await startAnnAlone()
const { ann, server } = people
const { page } = ann
const carl = await registerAccount(server.origin, 'carl')
const recipientId = (await readSession(ann)).userId
const nobodysId = '01900000-0000-7000-8000-000000000000'
const ids: string[] = []
const headers = { authorization: `Bearer ${carl.token}`, 'content-type': 'application/json' }

beforeAll(async () => {
  await pushMessages({ origin: server.origin, author: carl, recipientId, count })
  const sent = await fetch(`${server.origin}/api/messages/${recipientId}?limit=200`, { headers })
  const messages: { _id: string }[] = await sent.json()
  ids.push(...messages.map(({ _id }) => _id))
  await answer('to the middle', ids[count / 2])
  await answer('to the newest', ids.at(-1))
  await answer('to nothing', nobodysId)
  await chatRow(page, 'carl').getByText('to nothing').waitFor()
  await chatRow(page, 'carl').click()
  await chatRow(page, 'carl')
    .getByRole('img', { name: /unread/ })
    .waitFor({ state: 'detached' })
})

afterAll(() => people.close())

async function answer(content: string, replyToMessageId = '') {
  const body = JSON.stringify({ recipientId, content, type: 'text', replyToMessageId })
  const sent = await fetch(`${server.origin}/api/messages`, { method: 'POST', headers, body })
  expect(sent.status).toBe(201)
}

test('a quotation never says of a message on the device that it is not there, and does not grow', async () => {
  await page.addInitScript(() => {
    const seen: Record<string, { words: string; height: number }[]> = {}
    Object.assign(globalThis, { seenQuotes: seen })
    new MutationObserver(() => {
      for (const quote of document.querySelectorAll('article button:first-child')) {
        const label = quote.closest('article')?.getAttribute('aria-label') ?? ''
        const [name = ''] = /to (the middle|the newest|nothing)$/.exec(label) ?? []
        const { height } = quote.getBoundingClientRect()
        seen[name] ??= []
        seen[name].push({ words: quote.textContent ?? '', height })
      }
    }).observe(document, { childList: true, subtree: true, characterData: true })
  })
  await page.reload()
  await composer(page).waitFor()
  const quote = (text: string) => ownWords(page, text).getByRole('button')
  await expect
    .poll(() => quote('to the middle').textContent())
    .toBe(`carlmessage 61 of ${count}, with about as many words as people write`)
  await expect
    .poll(() => quote('to nothing').textContent())
    .toBe("This message isn't on this device")
  const seen: Record<string, { words: string; height: number }[]> =
    await page.evaluate('seenQuotes')
  const list = (name: string, field: 'words' | 'height') => [
    ...new Set(seen[name]?.map((look) => look[field])),
  ]
  expect(list('to the middle', 'words').join()).not.toContain("isn't on this device")
  expect(list('to the middle', 'height')).toHaveLength(1)
  // Loaded messages are quoted immediately.
  expect(list('to the newest', 'words')).toEqual([
    `carlmessage ${count} of ${count}, with about as many words as people write`,
  ])
})

test('a quoted message comes to the middle and is lit up for 2 s', async () => {
  const quoted = ownWords(page, `message 61 of ${count},`)
  const highlights = await recordHighlights(page)
  await ownWords(page, 'to the middle').getByRole('button').click()
  await expect.poll(() => highlights.list(`message 61 of ${count},`)).toEqual([2_000])
  await expect.poll(() => readOffCentre(quoted)).toBeLessThan(40)
  await expect.poll(() => readHighlightMs(quoted)).toBeUndefined()
})

test('a quotation of what was deleted with the chat says so when it is pressed', async () => {
  await page.goto('/chat')
  await chatRow(page, 'carl').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  // Its note is gone with its time.
  await holdOffer(page, page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click())
  await chatRow(page, 'carl').waitFor({ state: 'detached' })
  await untilNoted(ann, 'peerId', carl.userId)
  // It is written at once when the page is left.
  await page.goto('/chat')
  await answer('to the first', ids[0])
  await chatRow(page, 'carl').click()
  await seeBriefly(
    page.getByRole('status').getByText('This message was deleted with the chat'),
    ownWords(page, 'to the first').getByRole('button', { name: 'message 1 of' }).click(),
  )
})
