import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { composer, openChat, say } from './chat-steps.ts'
import { ownWords } from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'
import { waitUntil } from './wait-until.ts'

const people = await startTwoPeople()
const { page } = people.ann
const long = 'a sentence that is long enough to need more than one line, whoever reads it; '.repeat(
  3,
)
const theirs = { short: 'aye', long: `They: ${long}`.trim() }
const own = { short: 'nay', long: `I: ${long}`.trim() }

beforeAll(async () => {
  await openChat(people.ben.page, 'ann')
  await openChat(page, 'ben')
  for (const text of Object.values(theirs)) await say(people.ben.page, text)
  for (const text of Object.values(theirs)) await ownWords(page, text).waitFor()
  for (const text of Object.values(own)) await say(page, text)
})

afterAll(() => people.close())

test.each([1280, 900, 390])(
  'at %i px the buttons of a message lie in the list, and beside the text where there is room',
  async (width) => {
    await page.setViewportSize({ width, height: 800 })
    for (const text of [...Object.values(theirs), ...Object.values(own)]) {
      await page.mouse.move(0, 0)
      const { list, buttons, words } = await readShown(ownWords(page, text), (row) => row.hover())
      expect(buttons.left, text).toBeGreaterThanOrEqual(list.left)
      expect(buttons.right, text).toBeLessThanOrEqual(list.right)
      expect(buttons.top, text).toBeGreaterThanOrEqual(list.top)
      expect(buttons.bottom, text).toBeLessThanOrEqual(list.bottom)
      // On a phone's width a long message leaves no room.
      if (width < 900 && text.length > 10) continue
      const isAside = buttons.left >= words.right || buttons.right <= words.left
      expect(isAside, text).toBe(true)
    }
  },
)

test('the buttons of a message that is longer than the list is high are in sight', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await composer(page).fill(`endless: ${'a word and another\n'.repeat(120)}`)
  await composer(page).press('Enter')
  const endless = page.getByRole('article', { name: ': endless: a word' })
  await endless.waitFor()
  await page.mouse.move(0, 0)
  const { list, buttons } = await readShown(endless, () => page.mouse.move(1200, 400))
  expect(buttons.top).toBeGreaterThanOrEqual(list.top)
  expect(buttons.bottom).toBeLessThanOrEqual(list.bottom)
})

/**
 * Where a message and its buttons are while the pointer is on it. A list that moves takes the message from beneath the
 * pointer, and the buttons go: it is led there again, and all is read at once.
 */
async function readShown(row: Locator, point: (row: Locator) => Promise<void>) {
  const read = { places: undefined as ReturnType<typeof readPlaces> }
  await waitUntil('the buttons are beside the message', async () => {
    await point(row)
    read.places = await row.evaluate(readPlaces)
    return read.places !== undefined
  })
  if (!read.places) throw new Error('They are not drawn')
  return read.places
}

/**
 * Runs in the page: positions of the list, a message's buttons and its words, in px of the window. Undefined without
 * buttons.
 */
function readPlaces(article: Element) {
  const list = article.closest('[role="log"]')
  const reply = article.querySelector('[aria-label="Reply"]')
  if (!list || !reply?.parentElement) return undefined
  const read = ({ left, right, top, bottom }: DOMRect) => ({ left, right, top, bottom })
  const range = document.createRange()
  const words = article.querySelector('[dir="auto"]')
  if (words) range.selectNodeContents(words)
  return {
    list: read(list.getBoundingClientRect()),
    buttons: read(reply.parentElement.getBoundingClientRect()),
    words: read(range.getBoundingClientRect()),
  }
}
