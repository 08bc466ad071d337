import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { limits } from '../../../schema/limits.ts'
import { composer, message, openChat, readWords, say, untilSent } from './chat-steps.ts'
import { startAnnAlone } from './start-two-people.ts'

const people = await startAnnAlone({ reducedMotion: 'no-preference' })
const { page } = people.ann
afterAll(() => people.close())

test('Shift and Enter make a line; Enter alone sends both', async () => {
  await openChat(page, 'ben')
  await composer(page).pressSequentially('first line')
  await composer(page).press('Shift+Enter')
  await composer(page).pressSequentially('second line')
  await expect.poll(() => composer(page).inputValue()).toBe('first line\nsecond line')
  expect(await readWords(page)).toEqual([])
  await composer(page).press('Enter')
  const shown = page.getByRole('article').getByText('first line')
  expect(await shown.textContent()).toContain('first line\nsecond line')
  await untilSent(page)
})

test('Enter that chooses a word of an input method sends nothing', async () => {
  const before = await readWords(page)
  await composer(page).focus()
  const devtools = await page.context().newCDPSession(page)
  const composing = { text: 'にほん', selectionStart: 3, selectionEnd: 3 }
  await devtools.send('Input.imeSetComposition', composing)
  const heard = page.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        const hear = ({ key, isComposing }: KeyboardEvent) =>
          key === 'Enter' && resolve(isComposing)
        addEventListener('keydown', hear, { once: true })
      }),
  )
  await composer(page).press('Enter')
  expect(await heard).toBe(true)
  await devtools.send('Input.insertText', { text: '日本' })
  await expect.poll(async () => (await composer(page).inputValue()).trim()).toBe('日本')
  expect(await readWords(page)).toEqual(before)
  await composer(page).press('Enter')
  await expect.poll(() => readWords(page)).toEqual([...before, '日本'])
  await untilSent(page)
})

test('Enter that ends a composition in Safari, which tells it by its code alone, sends nothing', async () => {
  const before = await readWords(page)
  await composer(page).fill('日本')
  await composer(page).evaluate((field) =>
    field.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true }),
    ),
  )
  await composer(page).press('Shift+ArrowLeft')
  expect(await composer(page).inputValue()).toBe('日本')
  expect(await readWords(page)).toEqual(before)
  await composer(page).fill('')
})

test('a text over the limit is told, and nothing of it is cut', async () => {
  const long = 'x'.repeat(limits.messageMaxCharacters + 1)
  await composer(page).fill(long)
  await page.getByRole('alert').getByText('longer than 65,536 characters').waitFor()
  expect(await composer(page).inputValue()).toBe(long)
  const before = await readWords(page)
  await composer(page).press('Enter')
  expect(await composer(page).inputValue()).toBe(long)
  expect(await readWords(page)).toEqual(before)
  await composer(page).fill('')
  await page.getByRole('alert').waitFor({ state: 'detached' })
})

test('a text of which nothing can be seen is empty', async () => {
  await composer(page).fill('\u200b\u200d \u2060')
  await composer(page).press('Enter')
  const send = page.getByRole('button', { name: 'Send', exact: true })
  expect(await send.count()).toBe(0)
  await composer(page).fill('seen')
  await send.waitFor()
  await composer(page).press('Enter')
  await expect.poll(async () => (await readWords(page)).at(-1)).toBe('seen')
  expect(await readWords(page)).not.toContain('')
})

test('*bold* and its kind are drawn, and what looks like HTML stays text', async () => {
  await composer(page).fill('*lit* _soon_ ~gone~ `npm` snake_case <b>*x*</b>')
  await composer(page).press('Enter')
  const bubble = page.getByRole('article').last()
  await bubble.locator('strong').first().waitFor()
  const drawn = await bubble.evaluate((article) =>
    [...article.querySelectorAll('strong, em, s, code, b')].map(
      ({ localName, textContent }) => `${localName} ${textContent}`,
    ),
  )
  expect(drawn).toEqual(['strong lit', 'em soon', 's gone', 'code npm', 'strong x'])
  await bubble.getByText('snake_case <b>').waitFor()
})

test('a message over 2,500 characters folds, and opens with Read more', async () => {
  const long = `${'petrel '.repeat(400)}end`
  await composer(page).fill(long)
  await composer(page).press('Enter')
  const bubble = page.getByRole('article').last()
  const more = bubble.getByRole('button', { name: 'Read more' })
  await more.waitFor()
  expect(await bubble.getByText('petrel end').count()).toBe(0)
  await more.click()
  await bubble.getByText('petrel end').waitFor()
  await expect.poll(() => more.count()).toBe(0)
})

test('a text from right to left begins at the right, and its ticks stay there too', async () => {
  await composer(page).fill('שלום לכולם '.repeat(20))
  await composer(page).press('Enter')
  const bubble = page.getByRole('article').last()
  await bubble.getByText('שלום').waitFor()
  const { direction, tickGap } = await bubble.evaluate((article) => {
    const ticks = article.querySelector('[data-status]')
    const body = ticks?.parentElement?.parentElement
    if (!ticks || !body) throw new Error('It has no ticks')
    const [end, edge] = [ticks, body].map((part) => part.getBoundingClientRect().right)
    return {
      direction: getComputedStyle(body).direction,
      tickGap: Math.abs((edge ?? 0) - (end ?? 0)),
    }
  })
  expect(direction).toBe('rtl')
  expect(tickGap).toBeLessThan(4)
})

test('the time and the ticks of one to three emoji are at the bottom, as those of a text', async () => {
  await say(page, 'a text')
  const wanted = await readMetaEdges(page, 'a text')
  for (const text of ['🎉', '🎉🎉', '🎉🎉🎉']) {
    await say(page, text)
    const edges = await readMetaEdges(page, text)
    expect(Math.abs(edges.bottom - wanted.bottom), text).toBeLessThan(1)
    expect(Math.abs(edges.right - wanted.right), text).toBeLessThan(1)
  }
})

/** How far a message's time and ticks are from the end of its row. */
async function readMetaEdges(page: Page, text: string) {
  // What its ticks take is known.
  await message(page, text).locator('[data-status]:not([data-status="sending"])').waitFor()
  return message(page, text).evaluate((row) => {
    const meta = row.querySelector('time')?.parentElement
    if (!meta) throw new Error('It has no time')
    // Without the padding that they have where they stand on the wallpaper.
    const drawn = document.createRange()
    drawn.selectNodeContents(meta)
    const [whole, part] = [row, drawn].map((each) => each.getBoundingClientRect())
    if (!whole || !part) throw new Error('It is not drawn')
    return { bottom: whole.bottom - part.bottom, right: whole.right - part.right }
  })
}
