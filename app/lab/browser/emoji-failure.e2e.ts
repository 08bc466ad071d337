import { afterAll, expect, test } from 'vitest'
import { composer, openChat, readWords, say } from './chat-steps.ts'
import { openPicker, picker } from './emoji-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople({ serviceWorkers: 'block' })
const { page } = people.ann
afterAll(() => people.close())

test('a picker that cannot be loaded draws nothing, says one line to the console, and is tried again', async () => {
  const lines: string[] = []
  page.on('console', (line) => line.text().startsWith('The emoji') && lines.push(line.text()))
  const isEmoji = /\/assets\/(emoji-picker|all|module)-/
  await page.route(isEmoji, (route) => route.abort())
  await openChat(page, 'ben')
  const button = page.getByRole('button', { name: 'Emoji', exact: true })
  await button.click()
  await expect.poll(() => lines).toHaveLength(1)
  await expect.poll(() => button.getAttribute('aria-expanded')).toBe('false')
  expect(await picker(page).count()).toBe(0)
  await say(page, 'words go on')
  expect(await readWords(page)).toEqual(['words go on'])
  await composer(page).fill('')
  await page.unroute(isEmoji)
  await page.reload()
  await openPicker(page)
})
