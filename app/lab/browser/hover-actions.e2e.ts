import { afterAll, beforeAll, expect, test } from 'vitest'
import { composer, openChat, say } from './chat-steps.ts'
import { ownWords, showBeside } from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

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
      await showBeside(ownWords(page, text), 'Reply')
      const { list, buttons, words } = await ownWords(page, text).evaluate(readPlaces)
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
  await page.mouse.move(1200, 400)
  await endless.getByRole('button', { name: 'Reply', exact: true }).waitFor()
  const { list, buttons } = await endless.evaluate(readPlaces)
  expect(buttons.top).toBeGreaterThanOrEqual(list.top)
  expect(buttons.bottom).toBeLessThanOrEqual(list.bottom)
})

/**
 * Runs in the page: positions of the list, a message's buttons and its words, in px of the window.
 */
function readPlaces(article: Element) {
  const read = (box: DOMRect | undefined) => {
    if (!box) throw new Error('It is not drawn')
    const { left, right, top, bottom } = box
    return { left, right, top, bottom }
  }
  const range = document.createRange()
  const words = article.querySelector('[dir="auto"]')
  if (words) range.selectNodeContents(words)
  return {
    list: read(article.closest('[role="log"]')?.getBoundingClientRect()),
    buttons: read(
      article.querySelector('[aria-label="Reply"]')?.parentElement?.getBoundingClientRect(),
    ),
    words: read(range.getBoundingClientRect()),
  }
}
