import { afterAll, expect, test } from 'vitest'
import { composer, openChat, readWords } from './chat-steps.ts'
import { openPicker, pickEmoji, picker } from './emoji-steps.ts'
import { findProblems } from './find-problems.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople({ reducedMotion: 'reduce' })
const { page } = people.ann
const hosts = new Set<string>()
page.on('request', (request) => hosts.add(new URL(request.url()).host))
afterAll(() => people.close())

test('a picked emoji stands where the cursor was, and goes with the message', async () => {
  await openChat(page, 'ben')
  await composer(page).fill('well  done')
  await composer(page).evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(5, 5))
  await openPicker(page)
  const box = await picker(page).boundingBox()
  expect([box?.width, box?.height]).toEqual([350, 400])
  await pickEmoji(page, 'Grinning Face')
  expect(await composer(page).inputValue()).toBe('well 😀 done')
  await page.keyboard.press('Escape')
  await picker(page).waitFor({ state: 'detached' })
  expect(await composer(page).evaluate((field) => field === document.activeElement)).toBe(true)
  await page.keyboard.press('Enter')
  await expect.poll(() => readWords(page)).toEqual(['well 😀 done'])
})

test('axe finds nothing serious in the picker', async () => {
  await openPicker(page)
  expect(await findProblems(page)).toEqual([])
  await page.keyboard.press('Escape')
})

test('nothing was asked of any other host', () => {
  expect([...hosts]).toEqual([new URL(page.url()).host])
})
