import { afterAll, beforeAll, expect, test } from 'vitest'
import { composer, message, openChat, readWords, say } from './chat-steps.ts'
import { openPicker, picker } from './emoji-steps.ts'
import { pressBeside } from './message-steps.ts'
import { startAnnAlone } from './start-two-people.ts'

const people = await startAnnAlone()
const { page } = people.ann
const lines: string[] = []
page.on('console', (line) => line.text().startsWith('The emoji') && lines.push(line.text()))

beforeAll(() => openChat(page, 'ben'))
afterAll(() => people.close())

/** The picker's parts: its program, emoji-mart's and all emoji. */
const parts = /\/assets\/(emoji-picker|all|module)-/
const emojiData = /\/assets\/all-/

test('a picker that cannot be loaded draws nothing, says one line to the console, and is tried again', async () => {
  await page.route(parts, (route) => route.abort())
  const button = page.getByRole('button', { name: 'Emoji', exact: true })
  await button.click()
  await expect.poll(() => lines).toHaveLength(1)
  await expect.poll(() => button.getAttribute('aria-expanded')).toBe('false')
  expect(await picker(page).count()).toBe(0)
  await say(page, 'words go on')
  await expect.poll(() => readWords(page)).toEqual(['words go on'])
  await composer(page).fill('')
  await page.unroute(parts)
  await page.reload()
  await openPicker(page)
})

test('all reactions without their data: the bar is gone, one line says why, and the seven still react', async () => {
  await page.route(emojiData, (route) => route.fulfill({ status: 403 }))
  await page.reload()
  lines.length = 0
  await say(page, 'to react to')
  const own = message(page, 'to react to')
  const openBar = () => pressBeside(own, 'React')
  await openBar()
  await page.getByRole('button', { name: 'More reactions' }).click()
  await expect.poll(() => lines).toHaveLength(1)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await picker(page).count()).toBe(0)
  const isFocusBack = () => own.evaluate((element) => element.contains(document.activeElement))
  await expect.poll(isFocusBack).toBe(true)
  await openBar()
  await page.getByRole('button', { name: 'Red heart' }).click()
  await own.getByRole('button', { name: '❤️ You' }).waitFor()
  await say(page, 'and words go on')
  await expect.poll(async () => (await readWords(page)).at(-1)).toBe('and words go on')
  expect(lines).toHaveLength(1)
})
