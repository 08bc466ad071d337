import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushMessages, registerAccount } from '../bench/server-accounts.ts'
import { readSession } from './account-steps.ts'
import { chatRow } from './chat-steps.ts'
import { ownWords } from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const count = 240
const people = await startTwoPeople({ reducedMotion: 'reduce' })
const { ann, server } = people
const { page } = ann
const carl = await registerAccount(server.origin, 'carl')
const newest = ownWords(page, `message ${count} of`)

interface Shift {
  value: number
  what: string[]
}

beforeAll(async () => {
  const recipientId = (await readSession(ann)).userId
  await pushMessages({ origin: server.origin, author: carl, recipientId, count })
  await chatRow(page, 'carl').getByText(`message ${count} of`).waitFor()
  await chatRow(page, 'carl').click()
  await chatRow(page, 'carl')
    .getByRole('img', { name: /unread/ })
    .waitFor({ state: 'detached' })
  await page.addInitScript(() => {
    const shifts: Shift[] = []
    Object.assign(globalThis, { shifts })
    new PerformanceObserver((seen) => {
      for (const entry of seen.getEntries()) {
        const { value, hadRecentInput, sources } = entry as PerformanceEntry & {
          value: number
          hadRecentInput: boolean
          sources: { node: Node | null }[]
        }
        if (hadRecentInput) continue
        // What is offered beside the chat, such as to install, has tests of its own.
        const inChat = sources.filter(({ node }) => {
          const element = node instanceof Element ? node : node?.parentElement
          return element?.closest('section[aria-label^="Chat with"]')
        })
        if (inChat.length === 0) continue
        shifts.push({
          value,
          what: inChat.map(({ node }) => String(node?.textContent).slice(0, 80)),
        })
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
})

afterAll(() => people.close())

/** What has moved by itself since the last look, once the page has drawn. */
async function takeShifts(): Promise<Shift[]> {
  return page.evaluate(async () => {
    for (let frame = 0; frame < 5; frame++) await new Promise(requestAnimationFrame)
    return (globalThis as unknown as { shifts: Shift[] }).shifts.splice(0)
  })
}

test.each([1280, 390])('at %i px nothing moves by itself while a chat opens', async (width) => {
  await page.setViewportSize({ width, height: 800 })
  await page.reload()
  await newest.waitFor()
  expect(await takeShifts()).toEqual([])
})

test('nothing moves by itself while older pages come in', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.reload()
  await newest.waitFor()
  await takeShifts()
  await page.mouse.move(900, 400)
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, -500)
      expect(await takeShifts()).toEqual([])
      return ownWords(page, 'message 20 of').isVisible()
    })
    .toBe(true)
})

test('what does move by itself is noticed', async () => {
  await page.reload()
  await newest.waitFor()
  await takeShifts()
  await page.evaluate(() => {
    const block = document.createElement('div')
    block.style.height = '60px'
    document.querySelector('[role="log"]')?.before(block)
  })
  await expect.poll(takeShifts).not.toEqual([])
})
