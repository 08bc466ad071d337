import { afterAll, expect, test } from 'vitest'
import { chatRow, openChat, readTicks, say } from './chat-steps.ts'
import { ownWords } from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople()
const { page } = people.ann
afterAll(async () => {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await people.close()
})

test('what went over WhatsApp has its icon, and green ticks where others are blue', async () => {
  // Only the server can say that a message went over WhatsApp, and its status: here its answers do.
  // Without a socket the device asks for them.
  people.ann.network.blockSockets()
  await page.route('**/sync/messages/_changes**', async (route) => {
    const response = await route.fetch()
    const { results, ...page } = await response.json()
    const changes = results.map((change: { doc?: { content?: string } }) =>
      change.doc?.content === 'by phone'
        ? { ...change, doc: { ...change.doc, isWhatsApp: true, status: 'read' } }
        : change,
    )
    const body = JSON.stringify({ results: changes, ...page })
    await route.fulfill({ response, body })
  })
  await openChat(page, 'ben')
  await say(page, 'by wire')
  await say(page, 'by phone')
  await openChat(people.ben.page, 'ann')
  await ownWords(page, 'by phone').getByRole('img', { name: 'WhatsApp' }).waitFor()
  expect(await ownWords(page, 'by wire').getByRole('img', { name: 'WhatsApp' }).count()).toBe(0)
  for (const text of ['by wire', 'by phone']) {
    await expect.poll(() => readTicks(page, text), { timeout: 30_000 }).toBe('Read')
  }
  const plain = await readColour('by wire')
  expect(plain.blue).toBeGreaterThan(plain.green)
  const green = await readColour('by phone')
  expect(green.green).toBeGreaterThan(green.blue)
  await page.goto('/chat')
  await chatRow(page, 'ben').getByRole('img', { name: 'Read' }).waitFor()
})

async function readColour(text: string) {
  const colour = await ownWords(page, text)
    .locator('[data-status]')
    .evaluate((ticks) => getComputedStyle(ticks).color)
  const [, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map(Number)
  return { green, blue }
}
