import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSession } from './account-steps.ts'
import { chatRow, composer, openChat, say } from './chat-steps.ts'
import { findProblems } from './find-problems.ts'
import { listOverflowing } from './list-overflowing.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople({ reducedMotion: 'reduce' })
const { page } = people.ann
const benId = (await readSession(people.ben)).userId

const screens = [
  ['/chat', 'ben', 'Petrel'],
  [`/chat/${benId}`, 'a word', 'ben | Petrel'],
  ['/chat/archived', 'No archived chats', 'Archived Chats | Petrel'],
  ['/chat/starred', 'No starred messages', 'Starred Messages | Petrel'],
  ['/chat/search', 'ben', 'Search | Petrel'],
  ['/chat/status', 'Status updates from your contacts will appear here.', 'Status | Petrel'],
  ['/chat/calls', 'Your recent calls will appear here.', 'Calls | Petrel'],
  ['/profile', 'Danger Zone', 'Profile | Petrel'],
  ['/settings', 'Storage and Data', 'Settings | Petrel'],
  ['/no-such-page', 'Page Not Found', 'Page Not Found | Petrel'],
] as const

beforeAll(async () => {
  await openChat(page, 'ben')
  await say(page, 'a word')
})

afterAll(() => people.close())

test.each([
  { width: 1280, height: 800 },
  { width: 900, height: 800 },
  { width: 390, height: 844 },
  // 360 px at a zoom of 200 %.
  { width: 180, height: 320 },
])('every screen at $width px has its title, fits, and axe finds nothing serious', async (size) => {
  await page.setViewportSize(size)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const [path, words, title] of screens) {
    await page.goto(path)
    await page.getByText(words).filter({ visible: true }).first().waitFor()
    await expect.poll(() => page.title(), { message: path }).toBe(title)
    await expect.poll(() => listOverflowing(page), { message: path }).toEqual([])
    expect(await findProblems(page), path).toEqual([])
  }
})

test('below 1024 px the chat takes the place of the list, and leads back', async () => {
  for (const width of [900, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto('/chat')
    await chatRow(page, 'ben').click()
    await composer(page).waitFor()
    await expect.poll(() => chatRow(page, 'ben').isVisible()).toBe(false)
    const length = await page.evaluate(() => history.length)
    await page.getByRole('button', { name: 'Back to chats' }).click()
    await chatRow(page, 'ben').click()
    await composer(page).waitFor()
    expect(await page.evaluate(() => history.length)).toBe(length)
    await page.goBack()
    await chatRow(page, 'ben').waitFor()
  }
})

test('on a phone every control is at least 44 px high and wide', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  await session.send('Emulation.setEmulatedMedia', {
    features: [
      { name: 'pointer', value: 'coarse' },
      { name: 'hover', value: 'none' },
    ],
  })
  for (const [path, words] of screens) {
    await page.goto(path)
    await page.getByText(words).filter({ visible: true }).first().waitFor()
    await expect.poll(listSmallControls, { message: path }).toEqual([])
  }
})

/** The visible controls that a finger may miss. Links inside a text and quoted messages are as high as their text. */
function listSmallControls(): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, a, input')]
      .filter((control) => control.checkVisibility({ visibilityProperty: true }))
      .filter((control) => {
        const { width, height } = (control.closest('label') ?? control).getBoundingClientRect()
        return width > 0 && (width < 43.5 || height < 43.5)
      })
      .map((control) => control.outerHTML.slice(0, 150)),
  )
}
