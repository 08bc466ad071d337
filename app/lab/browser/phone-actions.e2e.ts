import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushMessages, registerAccount } from '../server/server-accounts.ts'
import { readSession } from './account-steps.ts'
import { chatRow, openChat, readTicks, say } from './chat-steps.ts'
import {
  chooseOn,
  deleteMessage,
  forwardDialog,
  ownWords,
  readRestingBox,
  select,
  selectionBar,
} from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople({
  hasTouch: true,
  viewport: { width: 390, height: 844 },
})
const { page } = people.ann
const within = { timeout: 30_000 }
const bar = selectionBar(page)
const touch = await page.context().newCDPSession(page)

beforeAll(async () => {
  const { origin } = people.server
  const author = await registerAccount(origin, 'carl')
  const recipientId = (await readSession(people.ann)).userId
  await pushMessages({ origin, author, recipientId, count: 1 })
  await openChat(page, 'ben')
  await say(page, 'the lamp is lit')
  await say(page, 'the boat is ready')
})

afterAll(() => people.close())

/** Holds a finger until `isLong`, then lifts it. */
async function pressLong(
  target: Locator,
  isLong: (point: { x: number; y: number }) => Promise<void>,
) {
  const box = await readRestingBox(target)
  const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] })
  await isLong(point)
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await untilDrawn()
}

/** Moves a finger over a message, in steps, and lifts it. */
async function pull(
  target: Locator,
  { x, y = 0, fromX }: { x: number; y?: number; fromX?: number },
  beforeItLeaves: (stir: () => Promise<void>) => Promise<void> = async () => {},
) {
  const box = await readRestingBox(target)
  const start = { x: fromX ?? box.x + box.width / 2, y: box.y + box.height / 2 }
  const steps = 10
  // Without an answer in between: half a second until the next step would be a long press.
  const events = [
    touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [start] }),
  ]
  for (let step = 1; step <= steps; step++) {
    const point = { x: start.x + (x * step) / steps, y: start.y + (y * step) / steps }
    events.push(touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] }))
  }
  await Promise.all(events)
  await untilDrawn()
  // The browser may delay the last move until the next, which a real finger soon makes.
  let stirred = 0
  await beforeItLeaves(async () => {
    stirred = 1 - stirred
    const point = { x: start.x + x + stirred, y: start.y + y }
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] })
  })
  // A finger that has not rested for 80 ms flings, and the browser takes the next tap for the end of that.
  await untilDrawn(8)
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await untilDrawn()
}

/** Where a message's words are. */
async function placeOf(target: Locator) {
  return target.locator('[dir="auto"]').evaluate((words) => {
    const { x, y } = words.getBoundingClientRect()
    return { x: Math.round(x), y: Math.round(y) }
  })
}

async function expectNoReply() {
  await untilDrawn()
  expect(await page.getByText(/^Replying to/).count()).toBe(0)
}

/** After two more frames the browser has handled the event. */
async function untilDrawn(frames = 2) {
  await page.evaluate(async (frames) => {
    for (let frame = 0; frame < frames; frame++) await new Promise(requestAnimationFrame)
  }, frames)
}

/** Simulates Safari, which sends no `contextmenu` for a long press, until the page is left. */
async function behaveAsSafari() {
  await page.evaluate(() => {
    addEventListener('contextmenu', (event) => event.stopImmediatePropagation(), { capture: true })
  })
}

/** Playwright's touch screen reports a fine pointer. */
async function emulateFinger() {
  const features = [
    { name: 'pointer', value: 'coarse' },
    { name: 'hover', value: 'none' },
  ]
  await touch.send('Emulation.setEmulatedMedia', { features })
}

/** Every open layer has an entry in the browser's history, which it gets a moment after it is drawn. */
async function untilLayered(count: number) {
  await expect.poll(() => page.evaluate('history.state?.backLayers ?? 0'), within).toBe(count)
}

/** Closing without Back removes the entry from the browser's history a moment later. */
async function untilHistoryRests() {
  await untilLayered(0)
}

/** The address of the chat, of which the test hears a moment after the click. */
async function openFromList(): Promise<string> {
  await chatRow(page, 'ben').click()
  await page.waitForURL('**/chat/*')
  return page.url()
}

async function backToList() {
  await page.getByRole('button', { name: 'Back to chats' }).click()
  await page.waitForURL('**/chat')
}

test('Back leaves a dialog, a menu, the search and the selection before the chat', async () => {
  await backToList()
  const chat = await openFromList()
  await select(page, 'the lamp is lit')
  await bar.getByRole('button', { name: 'Forward' }).click()
  await forwardDialog(page).waitFor()
  await untilLayered(2)
  await page.goBack()
  await forwardDialog(page).waitFor({ state: 'detached' })
  await bar.getByText('1 selected').waitFor()
  await page.goBack()
  await bar.waitFor({ state: 'detached' })
  expect(page.url()).toBe(chat)
  await ownWords(page, 'the lamp is lit').click({ button: 'right' })
  await page.getByRole('menu').waitFor()
  await untilLayered(1)
  await page.goBack()
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Search in chat (Ctrl+F)' }).click()
  const search = page.getByRole('searchbox', { name: 'Search in this chat' })
  await search.waitFor()
  await untilLayered(1)
  await page.goBack()
  await search.waitFor({ state: 'detached' })
  expect(page.url()).toBe(chat)
  await page.goBack()
  await page.waitForURL('**/chat')
})

test('what was closed otherwise leaves nothing behind for Back, and the header leads out of it all', async () => {
  await chatRow(page, 'ben').click()
  await select(page, 'the lamp is lit')
  await bar.getByRole('button', { name: 'Cancel selection' }).click()
  await bar.waitFor({ state: 'detached' })
  await untilHistoryRests()
  await chooseOn(page, 'the lamp is lit', 'Info')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await untilHistoryRests()
  await page.goBack()
  await page.waitForURL('**/chat')
  await chatRow(page, 'ben').click()
  await select(page, 'the lamp is lit')
  await backToList()
  await chatRow(page, 'ben').waitFor()
  await expect.poll(() => bar.count()).toBe(0)
})

test('after forwarding, Back leads to the chat it came from', async () => {
  const chat = await openFromList()
  await chooseOn(page, 'the lamp is lit', 'Forward')
  const dialog = forwardDialog(page)
  const size = await dialog
    .getByRole('searchbox')
    .evaluate((field) => Number.parseFloat(getComputedStyle(field).fontSize))
  // Below it, iOS zooms into the field.
  expect(size).toBeGreaterThanOrEqual(16)
  await dialog.getByRole('checkbox', { name: 'carl' }).check()
  await dialog.getByRole('button', { name: 'Forward' }).click()
  await page.getByRole('heading', { name: 'carl', level: 2 }).waitFor()
  await ownWords(page, 'the lamp is lit').waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'ben', level: 2 }).waitFor()
  expect(page.url()).toBe(chat)
})

test('after a long press the menu stays when the finger moves and leaves', async () => {
  await behaveAsSafari()
  const menu = page.getByRole('menu', { name: 'Message actions' })
  await pressLong(ownWords(page, 'the lamp is lit'), () => menu.waitFor())
  expect(await menu.count()).toBe(1)
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  await pressLong(ownWords(page, 'the lamp is lit'), async (point) => {
    await menu.waitFor()
    for (const x of [point.x + 40, point.x + 80, point.x + 120]) {
      const touchPoints = [{ x, y: point.y }]
      await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints })
    }
  })
  await expectNoReply()
  expect(await menu.count()).toBe(1)
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  await backToList()
  const actions = page.getByRole('menuitem', { name: 'Archive' })
  await pressLong(chatRow(page, 'ben'), () => actions.waitFor())
  expect(await actions.count()).toBe(1)
  expect(new URL(page.url()).pathname).toBe('/chat')
  await page.keyboard.press('Escape')
  await actions.waitFor({ state: 'detached' })
  await untilHistoryRests()
  await page.reload()
  await chatRow(page, 'ben').tap()
  await ownWords(page, 'the lamp is lit').waitFor()
})

test('a long press selects once, also where the browser sends its own event for it', async () => {
  await select(page, 'the lamp is lit')
  const boat = ownWords(page, 'the boat is ready')
  await pressLong(boat, async () => {
    await bar.getByText('2 selected').waitFor()
    await boat.dispatchEvent('contextmenu')
    await untilDrawn()
    expect(await bar.getByText('2 selected').count()).toBe(1)
  })
  expect(await bar.getByText('2 selected').count()).toBe(1)
  await bar.getByRole('button', { name: 'Cancel selection' }).click()
})

test('a finger that stays marks no text: Copy is in the menu; links keep their own', async () => {
  await emulateFinger()
  const words = ownWords(page, 'the lamp is lit').getByText('the lamp is lit', { exact: true })
  expect(await words.evaluate((text) => getComputedStyle(text).userSelect)).toBe('none')
})

test('a finger that pulls a message to the right replies to it', async () => {
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  const lamp = ownWords(page, 'the lamp is lit')
  // The chat has loaded, and the ticks, part of the message's width, are final.
  await expect.poll(() => page.evaluate(() => document.getAnimations().length)).toBe(0)
  await expect.poll(() => readTicks(page, 'the lamp is lit'), within).toBe('Delivered')
  const place = await placeOf(lamp)
  await pull(lamp, { x: 90 }, async (stir) => {
    await expect
      .poll(async () => {
        await stir()
        return (await placeOf(lamp)).x - place.x
      })
      .toBeGreaterThan(50)
    expect((await placeOf(lamp)).y).toBe(place.y)
    await lamp.locator('[class*=pullIcon]').waitFor()
  })
  await page.getByText('Replying to yourself', { exact: true }).waitFor()
  await expect.poll(() => lamp.locator('[class*=pullIcon]').count()).toBe(0)
  await page.getByRole('button', { name: 'Cancel reply' }).click()
  await expect.poll(() => placeOf(lamp)).toEqual(place)
  await expectNoReply()
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await pull(lamp, { x: 90 }, async () => expect((await placeOf(lamp)).x).toBe(place.x))
  await page.getByText('Replying to yourself', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Cancel reply' }).click()
})

test('a finger that comes back, begins at the edge, goes up or down, or selects, replies to nothing', async () => {
  const lamp = ownWords(page, 'the lamp is lit')
  for (const way of [{ x: 40 }, { x: 120, fromX: 10 }, { x: 60, y: 90 }, { x: -90 }]) {
    await pull(lamp, way)
    await expectNoReply()
  }
  await select(page, 'the boat is ready')
  await pull(lamp, { x: 90 })
  await bar.getByRole('button', { name: 'Cancel selection' }).click()
  await expectNoReply()
  await say(page, 'a slip')
  await deleteMessage(page, 'a slip')
  const deleted = ownWords(page, 'This message was deleted')
  await deleted.waitFor()
  // The offer to undo lies over it, as long as the mouse does over the offer.
  await page.mouse.move(0, 0)
  await page.getByRole('region', { name: 'Undo' }).waitFor({ state: 'detached' })
  await pull(deleted, { x: 90 })
  await expectNoReply()
})

test('a reply can be cancelled with a finger', async () => {
  await emulateFinger()
  await chooseOn(page, 'the lamp is lit', 'Reply')
  const cancel = page.getByRole('button', { name: 'Cancel reply' })
  const box = await cancel.boundingBox()
  expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(43.5)
  await cancel.tap()
  await cancel.waitFor({ state: 'detached' })
})

test('a finger scrolls the list wherever it begins', async () => {
  for (let line = 0; line < 30; line++) await say(page, `line ${line}`)
  const log = page.getByRole('log')
  const before = await log.evaluate(({ scrollTop }) => scrollTop)
  await pull(ownWords(page, 'line 20'), { x: 20, y: 250 })
  await expect.poll(() => log.evaluate(({ scrollTop }) => scrollTop)).toBeLessThan(before - 100)
  await expectNoReply()
})
