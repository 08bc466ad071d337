import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerAccount } from '../server/server-accounts.ts'
import { chatRow, message, openChat, say } from './chat-steps.ts'
import { breakReading } from './faults/break-disk.ts'
import { holdDatabases } from './faults/hold-databases.ts'
import { failRequests, holdRequests } from './faults/stop-requests.ts'
import { findProblems } from './find-problems.ts'
import { listOverflowing } from './list-overflowing.ts'
import { chooseSetting, settingRow, untilSettingStored } from './settings-steps.ts'
import { startAnnAlone } from './start-two-people.ts'

const within = { timeout: 30_000 }
// The tests stop requests on their way; a service worker would make some in place of the page.
const people = await startAnnAlone()
const { ann, server } = people
const { page } = ann
const nobodyId = '01900000-0000-7000-8000-000000000000'

beforeAll(async () => {
  await registerAccount(server.origin, 'carla')
  await openChat(page, 'ben')
  await say(page, 'a word')
})

afterAll(() => people.close())

const see = (words: string | RegExp) =>
  page.getByText(words).filter({ visible: true }).first().waitFor()

test('while the app is being fetched, the screen says that the sign-in is verified', async () => {
  const held = await holdRequests(page, '**/assets/sync-*.js')
  await page.goto('/chat', { waitUntil: 'commit' })
  await see('Verifying authentication...')
  await held.release()
  await chatRow(page, 'ben').waitFor()
})

test('while the device requests an unknown person, the chat says that it is loading', async () => {
  const held = await holdRequests(page, `**/api/users/${nobodyId}`)
  await page.goto(`/chat/${nobodyId}`)
  await see('Loading chat...')
  await held.release()
  await see('Failed to load chat')
})

test('the empty pane fades in, and leads to the desktop app in a tab of its own', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.goto('/chat')
  const pane = page.getByRole('region', { name: 'No chat open' })
  await pane.getByRole('heading', { name: 'Download WhatsApp for Windows' }).waitFor()
  await pane.getByText(/^Make calls, share your screen and get a faster experience when /).waitFor()
  const download = pane.getByRole('link', { name: 'Download' })
  expect(await download.getAttribute('href')).toMatch(/^https:/)
  expect(await download.getAttribute('target')).toBe('_blank')
  const readShadow = () => download.evaluate((link) => getComputedStyle(link).boxShadow)
  const shadow = await readShadow()
  await download.hover()
  await expect.poll(readShadow).not.toBe(shadow)
  await expect
    .poll(() => pane.evaluate(readFadeIn))
    .toEqual({ durationMs: 300, from: '0', to: '1' })
  await page.emulateMedia({ reducedMotion: 'reduce' })
})

/** Runs in the page: restarts the element's animation and reads it. */
function readFadeIn(element: HTMLElement) {
  element.style.animationName = 'none'
  element.getAnimations()
  element.style.animationName = ''
  const effect = element.getAnimations()[0]?.effect
  if (!(effect instanceof KeyframeEffect)) return undefined
  const [first, last] = effect.getKeyframes()
  return { durationMs: effect.getTiming().duration, from: first?.opacity, to: last?.opacity }
}

test('an open chat says that its messages are being read', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/chat')
  await chatRow(page, 'ben').waitFor()
  const tab = await ann.openTab('/healthz')
  const held = await holdDatabases(tab)
  await page.bringToFront()
  await chatRow(page, 'ben').click()
  await see('Loading messages...')
  await held.release()
  await message(page, 'a word').waitFor()
  await tab.close()
})

test('P6: a chat that cannot be read says so, and shows its messages once it can', async () => {
  await page.goto('/chat')
  await chatRow(page, 'ben').waitFor()
  const mendReading = await breakReading(page)
  await chatRow(page, 'ben').click()
  await see("This device couldn't read your messages. Trying again soon.")
  await mendReading()
  await message(page, 'a word').waitFor()
})

test('P10: the list reports below it what the server could not load, and the chats stay', async () => {
  const failing = await failRequests(page, 503, '**/sync/**', '**/api/users')
  await page.goto('/chat')
  await see(/^Couldn't update your chats: The server has a problem\./)
  expect(await page.getByText('Failed to load conversations').count()).toBe(0)
  await see(/^Failed to load users: ./)
  await chatRow(page, 'ben').waitFor()
  await expect.poll(() => listOverflowing(page)).toEqual([])
  expect(await findProblems(page)).toEqual([])
  await failing.stop()
  const problems = page.getByText(/^(Failed to load|Couldn't update)/)
  await expect.poll(() => problems.count(), { timeout: 60_000 }).toBe(0)
})

test('while the server answers, a failed profile load is reported, whatever the browser says of the network', async () => {
  const failing = await failRequests(page, 500, '**/api/users/me')
  await page.goto('/profile')
  await see('Failed to load profile')
  await page.getByRole('definition').filter({ hasText: 'Online' }).waitFor()
  await page.evaluate(() => Object.defineProperty(navigator, 'onLine', { get: () => false }))
  const again = page.getByRole('button', { name: 'Try Again' })
  const asked = page.waitForResponse('**/api/users/me')
  await again.click()
  await asked
  await again.waitFor()
  await failing.stop()
  await again.click()
  await again.waitFor({ state: 'detached' })
})

test('P10: while the server is away, a filter that fits no chat says so', async () => {
  const cut = await failRequests(page, 'cut', '**/sync/**', '**/api/**')
  await page.goto('/chat')
  await chatRow(page, 'ben').waitFor()
  await see('Connecting…')
  for (const [chip, words] of [
    ['Unread', 'No unread chats'],
    ['Favourites', 'No favourite chats'],
    ['Groups', 'No groups'],
  ] as const) {
    await page.getByRole('button', { name: chip }).click()
    await see(words)
  }
  await page.goto('/chat/archived')
  await see('Connecting…')
  await see('No archived chats')
  await cut.stop()
})

test('P10: the search finds people the device knows while the server does not answer', async () => {
  await page.goto('/chat')
  const box = page.getByRole('searchbox', { name: 'Search or start a new chat' })
  const found = page.getByRole('region', { name: 'People' }).getByRole('link')
  await box.fill('carla')
  await found.waitFor()
  const held = await holdRequests(page, '**/api/users/search/**')
  const asked = page.waitForRequest('**/api/users/search/**')
  await box.fill('CÁRL')
  await asked
  await expect
    .poll(() => found.allTextContents(), within)
    .toEqual([expect.stringContaining('carla')])
  await held.release()
})

test('the browser’s own bar takes the colour of the theme that is chosen', async () => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/settings/chats')
  const light = '#f1f5f5'
  const dark = '#10191c'
  await expect.poll(() => readBarColours()).toEqual([light])
  await chooseSetting(page, 'Theme', 'Dark')
  await expect.poll(() => readBarColours()).toEqual([dark])
  await untilSettingStored(page, 'theme', 'dark')
  await page.reload()
  await settingRow(page, 'Theme').getByText('Dark').waitFor()
  await expect.poll(() => readBarColours()).toEqual([dark])
  await chooseSetting(page, 'Theme', 'System default')
  await expect.poll(() => readBarColours()).toEqual([light])
})

function readBarColours(): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')]
      .filter(({ media }) => matchMedia(media).matches)
      .map(({ content }) => content),
  )
}
