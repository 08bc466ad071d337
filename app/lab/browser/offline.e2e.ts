import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { sectionWords, settingsPages } from '../../settings/settings-sections.ts'
import { readSession, waitUntilKept } from './account-steps.ts'
import { chatRow, openChat, readMessages, readTicks, readWords, say } from './chat-steps.ts'
import { seeBriefly } from './message-steps.ts'
import { createPerson } from './person.ts'
import { startTwoPeople } from './start-two-people.ts'
import { waitUntil } from './wait-until.ts'

const people = await startTwoPeople({
  keepsApp: true,
  hasOwnBrowser: true,
  reducedMotion: 'no-preference',
})
const benId = (await readSession(people.ben)).userId

beforeAll(async () => {
  const { page } = people.ann
  await openChat(page, 'ben')
  await say(page, 'before the storm')
  await waitUntil(
    'Ben has it',
    async () => (await readTicks(page, 'before the storm')) === 'Delivered',
  )
  await waitUntilKept(people.ann)
})

afterAll(() => people.close())

test('P10: with no network every route opens after a reload, and the history is there', async () => {
  const { ann } = people
  await ann.goOffline()
  await ann.page.reload()
  await expect.poll(() => readWords(ann.page)).toEqual(['before the storm'])
  for (const [path, words] of [
    ['/chat', 'before the storm'],
    ['/chat/archived', 'No archived chats'],
    ['/chat/starred', 'No starred messages'],
    ['/chat/status', 'Status updates from your contacts will appear here.'],
    ['/chat/calls', 'Your recent calls will appear here.'],
    ['/no-such-page', 'Page Not Found'],
    [`/chat/${benId}`, 'before the storm'],
  ] as const) {
    await ann.page.goto(path)
    await ann.page.getByText(words).first().waitFor()
  }
  await expect.poll(() => readWords(ann.page)).toEqual(['before the storm'])
})

test('P10: every address opens with no network, also those whose code was never used', async () => {
  const { page } = people.ann
  for (const [path, title] of [
    ['/', 'Petrel'],
    ['/chat/search', 'Search | Petrel'],
    ['/chat/group/7', 'Petrel'],
    ['/profile', 'Profile | Petrel'],
    ['/settings', 'Settings | Petrel'],
    ...settingsPages.map((id) => [`/settings/${id}`, `${sectionWords[id].name} | Petrel`]),
    ['/login', 'Petrel'],
    ['/register', 'Petrel'],
  ] as const) {
    await page.goto(path)
    await expect.poll(() => page.title()).toBe(title)
    // The other pages' titles are part of their lazily loaded code.
    if (!/^.(profile|settings)/.test(path)) await page.getByRole('searchbox').waitFor()
  }
  await page.goto(`/chat/${benId}`)
  await expect.poll(() => readWords(page)).toEqual(['before the storm'])
})

test('P10: so do the addresses for who is not signed in', async () => {
  const cem = await createPerson(people.server, 'cem', { keepsApp: true })
  onTestFinished(() => cem.close())
  await cem.page.goto('/register')
  await waitUntilKept(cem)
  await cem.goOffline()
  for (const [path, heading] of [
    ['/register', 'Create your account'],
    ['/login', 'Steps to log in'],
    ['/', 'Steps to log in'],
    ['/settings/privacy', 'Steps to log in'],
  ] as const) {
    await cem.page.goto(path)
    await cem.page.getByRole('heading', { name: heading }).waitFor()
  }
})

test('P10: an app whose first fetching was broken off is kept once the network is back', async () => {
  const dora = await createPerson(people.server, 'dora', { keepsApp: true })
  onTestFinished(() => dora.close())
  const { page, network } = dora
  const isBeingKept = () =>
    page.evaluate(async () => (await navigator.serviceWorker.getRegistration()) !== undefined)
  network.slow(150_000)
  // What is fetched to be kept, behind the page itself, outlasts each look at it.
  page.once('load', () => network.slow(50_000))
  await page.goto('/login')
  await expect.poll(isBeingKept).toBe(true)
  await dora.goOffline()
  await expect.poll(isBeingKept).toBe(false)
  network.slow(50_000_000)
  await dora.goOnline()
  await waitUntilKept(dora)
  await dora.goOffline()
  await page.reload()
  await page.getByRole('heading', { name: 'Steps to log in' }).waitFor()
})

test('P1 P2: five messages written offline around a reload arrive once and in order', async () => {
  const { ann, ben } = people
  const words = ['one', 'two', 'three', 'four', 'five']
  for (const word of words.slice(0, 3)) await say(ann.page, word)
  await ann.page.reload()
  await expect.poll(() => readWords(ann.page)).toEqual(['before the storm', ...words.slice(0, 3)])
  for (const word of words.slice(3)) await say(ann.page, word)
  await expect.poll(() => readTicks(ann.page, 'five')).toBe('Waiting to be sent')
  const written = await readMessages(ann.page)
  await ann.page.getByRole('link', { name: '5 waiting' }).waitFor()

  const back = ann.page.getByRole('status').getByText('Back online · 5 sent')
  // Slow enough to be back for longer than 'Back online' is shown, before all is sent.
  ann.network.slow(3_000)
  await seeBriefly(back, ann.goOnline())
  ann.network.slow(50_000_000)
  await back.waitFor({ state: 'detached' })
  await chatRow(ben.page, 'ann').click()
  await expect
    .poll(() => readMessages(ben.page))
    .toEqual(written.map((one) => ({ ...one, author: 'ann' })))
  await expect.poll(() => readTicks(ann.page, 'five')).toBe('Read')
  await expect.poll(() => readMessages(ann.page)).toEqual(written)
})

test('P1: what was written offline outlives the end of the browser', async () => {
  const { ann, ben } = people
  await ann.goOffline()
  await say(ann.page, 'still here')
  await ann.restartBrowser()
  await ann.page.goto(`/chat/${benId}`)
  await expect.poll(() => readTicks(ann.page, 'still here')).toBe('Waiting to be sent')
  await ann.goOnline()
  await expect.poll(() => readWords(ben.page).then((words) => words.at(-1))).toBe('still here')
  await expect.poll(() => readTicks(ann.page, 'still here')).toBe('Read')
})
