import { afterAll, expect, test } from 'vitest'
import { keepSignIn, readSession } from './account-steps.ts'
import { composer, openChat, readWords, say, untilSent } from './chat-steps.ts'
import { chooseOn, ownWords } from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'
import { waitUntil } from './wait-until.ts'

const people = await startTwoPeople({ keepsApp: true, hasOwnBrowser: true })
const { ann } = people
const chat = `/chat/${(await readSession(people.ben)).userId}`
afterAll(() => people.close())

/** From before the message is named until long after the composer is cleared. */
const momentsMs = [0, 2, 4, 8, 15, 30, 60, 120, 240, 480]

function pause(ms: number) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** A slow device: stretches short moments so that the test can hit them. Returns what ends it. */
async function slowDown() {
  const devtools = await ann.page.context().newCDPSession(ann.page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  return () => devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 })
}

/** Waits until the written text is in the database, and so on disk: `localStorage` holds it until then. */
async function untilDraftStored() {
  await waitUntil('the draft is stored', () =>
    ann.page.evaluate(() =>
      Object.keys(localStorage).every((key) => !key.startsWith('petrel-draft-')),
    ),
  )
}

/** Waits until the browser knows that the other tabs are closed: their drafts are this tab's then. */
async function untilAlone() {
  await waitUntil('the other tabs are gone', () =>
    ann.page.evaluate(async () => {
      const { held = [] } = await navigator.locks.query()
      return held.filter(({ name }) => name?.startsWith('petrel-tab-')).length === 1
    }),
  )
}

/** Where the text is after the reload, once it is anywhere: never in both places. */
async function findText(text: string): Promise<string[]> {
  const { page } = ann
  await page.goto(chat)
  await composer(page).waitFor()
  await ownWords(page, 'the first').waitFor()
  const look = async () => {
    const places: string[] = []
    for (const words of await readWords(page)) if (words === text) places.push('message')
    if ((await composer(page).inputValue()) === text) places.push('draft')
    return places
  }
  // A slow page draws the newest message, or fills the field, after the older ones.
  await expect.poll(look, { message: text }).not.toEqual([])
  return await look()
}

test('P1: whenever the browser is killed after Enter, the words are a message or a draft, never both', async () => {
  await keepSignIn(ann)
  await openChat(ann.page, 'ben')
  await say(ann.page, 'the first')
  const found: string[] = []
  for (const ms of [...momentsMs, 'it was sent'] as const) {
    const text = `killed after ${ms}`
    await slowDown()
    await composer(ann.page).fill(text)
    // The text is on disk before Enter, as after a short proofreading.
    await untilDraftStored()
    void ann.page.keyboard.press('Enter').catch(() => {})
    if (typeof ms === 'number') await pause(ms)
    else await untilSent(ann.page)
    await ann.killBrowser()
    const places = await findText(text)
    expect(places, text).toHaveLength(1)
    found.push(...places)
    await composer(ann.page).fill('')
  }
  expect(found.at(-1)).toBe('message')
})

test('P1: whenever the page reloads after Enter, the words are a message or a draft, never both', async () => {
  for (const ms of momentsMs) {
    const text = `reloaded after ${ms} ms`
    const speedUp = await slowDown()
    await composer(ann.page).fill(text)
    void ann.page.keyboard.press('Enter').catch(() => {})
    await pause(ms)
    await ann.page.reload({ waitUntil: 'commit' })
    await speedUp()
    expect(await findText(text), text).toHaveLength(1)
    await composer(ann.page).fill('')
  }
})

test('P1: a long draft in one tab survives a short message that is sent from another', async () => {
  const long = 'a long thought that somebody has not finished yet'
  const second = await ann.openTab(chat)
  await composer(second).fill(long)
  const third = await ann.openTab(chat)
  for (const [page, short] of [
    [ann.page, 'ok'],
    [third, 'fine'],
  ] as const) {
    await page.bringToFront()
    await composer(page).fill('')
    await say(page, short)
    await second.reload()
    await expect.poll(() => composer(second).inputValue()).toBe(long)
    await ownWords(page, short).waitFor()
  }
  await third.close()
  await second.close()
  await untilAlone()
  await ann.page.reload()
  await expect.poll(() => composer(ann.page).inputValue()).toBe(long)
  await composer(ann.page).fill('')
})

test('a change in progress is a draft: it is there after a reload, and after a look at another page', async () => {
  const { page } = ann
  await chooseOn(page, 'the first', 'Edit')
  await composer(page).fill('the very first')
  await page.reload()
  await page.getByText('Edit message', { exact: true }).waitFor()
  await expect.poll(() => composer(page).inputValue()).toBe('the very first')
  await page.goto('/settings')
  await page.goto(chat)
  await page.getByText('Edit message', { exact: true }).waitFor()
  await expect.poll(() => composer(page).inputValue()).toBe('the very first')
  await composer(page).press('Enter')
  await ownWords(page, 'the very first').waitFor()
  await page.getByText('Edit message', { exact: true }).waitFor({ state: 'detached' })
  await page.reload()
  await ownWords(page, 'the very first').waitFor()
  expect(await composer(page).inputValue()).toBe('')
})
