import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chatRow, openChat, readTicks, say } from './chat-steps.ts'
import { findProblems } from './find-problems.ts'
import { readRestingBox } from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople({
  hasTouch: true,
  isMobile: true,
  viewport: { width: 390, height: 844 },
})
const { page } = people.ann
const bar = page.getByRole('navigation', { name: 'Places' })
const readPath = () => new URL(page.url()).pathname

beforeAll(async () => {
  await openChat(people.ben.page, 'ann')
  await say(people.ben.page, 'are you there?')
  await page.goto('/chat')
  await chatRow(page, 'ben').waitFor()
})

afterAll(() => people.close())

/** A finger draws a row sideways, and lets go. */
async function draw(row: Locator, byPx: number) {
  const box = await readRestingBox(row)
  const touch = await page.context().newCDPSession(page)
  const [x, y] = [box.x + box.width / 2 - byPx / 2, box.y + box.height / 2]
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', places: object[]) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: places as [] })
  // Without an answer in between: half a second until the next step would be a long press.
  const events = [send('touchStart', [{ x, y }])]
  for (let step = 1; step <= 8; step += 1)
    events.push(send('touchMove', [{ x: x + (byPx * step) / 8, y }]))
  await Promise.all(events)
  await send('touchEnd', [])
  await touch.detach()
}

/** Draws a row; the focus is on its way to the offer before it comes, and holds it, however slow the machine is. */
const drawHeld = (row: Locator, byPx: number) => Promise.all([undo().focus(), draw(row, byPx)])

async function takeBack() {
  await undo().click()
  // A pointer that rests there would hold the next offer.
  await page.mouse.move(1, 1)
}

const undo = () => page.getByRole('region', { name: 'Undo' }).getByRole('button', { name: 'Undo' })

test('a phone has its three places and a new chat at the thumb', async () => {
  const newChat = bar.getByRole('button', { name: 'New chat' })
  const box = await newChat.boundingBox()
  expect(box?.width).toBeGreaterThanOrEqual(56)
  expect(box?.height).toBeGreaterThanOrEqual(56)
  expect(box?.y).toBeGreaterThan(844 * 0.75)
  expect(box?.x).toBeGreaterThan(390 / 2)
  // It lies over no row.
  const list = page.getByRole('list', { name: 'Conversations' }).locator('xpath=..')
  const rows = await list.boundingBox()
  expect((rows?.y ?? 0) + (rows?.height ?? 844)).toBeLessThanOrEqual(box?.y ?? 0)
  expect(await page.getByRole('button', { name: 'New chat' }).count()).toBe(1)
  for (const link of await bar.getByRole('link').all()) {
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  }
  await bar.getByRole('link', { name: 'Chats, 1 unread' }).waitFor()
  expect(await findProblems(page)).toEqual([])
  await bar.getByRole('link', { name: 'Starred' }).click()
  await page.getByText('No starred messages').waitFor()
  await newChat.click()
  const dialog = page.getByRole('dialog', { name: 'New chat' })
  await dialog.getByRole('link', { name: 'ben' }).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await bar.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Privacy' }).waitFor()
  expect(readPath()).toBe('/settings')
  await expect
    .poll(() => bar.getByRole('link', { name: 'Settings' }).getAttribute('aria-current'))
    .toBe('page')
  await bar.getByRole('link', { name: 'Chats' }).click()
  await chatRow(page, 'ben').click()
  await page.getByRole('textbox', { name: 'Type a message' }).waitFor()
  await expect.poll(() => bar.isVisible()).toBe(false)
  // The chat is drawn before its messages are: whoever leaves sooner has read none of them.
  await expect.poll(() => readTicks(people.ben.page, 'are you there?')).toBe('Read')
  await page.getByRole('button', { name: 'Back to chats' }).click()
  await bar.waitFor()
})

test('a row drawn to the right is read, and others hear of it once it can not be undone', async () => {
  await say(people.ben.page, 'hello?')
  const badge = chatRow(page, 'ben').getByRole('img', { name: '1 unread' })
  await badge.waitFor()
  await drawHeld(chatRow(page, 'ben'), 200)
  await badge.waitFor({ state: 'detached' })
  await takeBack()
  await badge.waitFor()
  expect(readPath()).toBe('/chat')
  await draw(chatRow(page, 'ben'), 200)
  await badge.waitFor({ state: 'detached' })
  await undo().waitFor({ state: 'detached' })
  // The device stores that when the offer ends, and a page that is left in that moment would lose it.
  await expect.poll(() => readTicks(people.ben.page, 'hello?')).toBe('Read')
  await page.reload()
  await chatRow(page, 'ben').waitFor()
  expect(await badge.count()).toBe(0)
})

test('a read row drawn to the right is pinned, one drawn to the left archived, and both can be undone', async () => {
  const pinned = chatRow(page, 'ben').getByRole('img', { name: 'Pinned' })
  await drawHeld(chatRow(page, 'ben'), 200)
  await pinned.waitFor()
  await takeBack()
  await pinned.waitFor({ state: 'detached' })
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  const drawn = chatRow(page, 'ben').evaluate(recordPlaces)
  await drawHeld(chatRow(page, 'ben'), -200)
  await chatRow(page, 'ben').waitFor({ state: 'detached' })
  // It never turns back on its way out.
  const places = await drawn
  expect(places).toEqual(places.toSorted((a, b) => b - a))
  expect(places.at(-1)).toBeLessThan(-350)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await takeBack()
  await chatRow(page, 'ben').waitFor()
})

/** Runs in the page: where the element is in each frame, until it is gone. */
function recordPlaces(element: Element): Promise<number[]> {
  const places: number[] = []
  return new Promise((resolve) => {
    const look = () => {
      if (!element.isConnected) return resolve(places)
      places.push(element.getBoundingClientRect().x)
      requestAnimationFrame(look)
    }
    look()
  })
}

test('a row that is drawn a little comes back, and does not open', async () => {
  await draw(chatRow(page, 'ben'), 60)
  await draw(chatRow(page, 'ben'), -60)
  expect(readPath()).toBe('/chat')
  expect(await undo().count()).toBe(0)
  await chatRow(page, 'ben').click()
  await page.getByRole('textbox', { name: 'Type a message' }).waitFor()
})

test('a status draws in only the tick that it adds, and a chat that is opened draws none', async () => {
  const { page: bens } = people.ben
  await bens.emulateMedia({ reducedMotion: 'no-preference' })
  const listDrawn = await recordTicks(bens)
  await say(bens, 'tick, tock')
  await expect.poll(() => readTicks(bens, 'tick, tock')).toBe('Read')
  expect(await listDrawn()).toEqual([0, 1])
  await bens.getByRole('button', { name: 'Back to chats' }).click()
  await openChat(bens, 'ann')
  await expect.poll(() => readTicks(bens, 'tick, tock')).toBe('Read')
  expect(await listDrawn()).toEqual([])
})

/** Notes which ticks of messages are drawn in: the first and second by their places. */
async function recordTicks(on: Page): Promise<() => Promise<number[]>> {
  await on.evaluate(() => {
    const drawn: number[] = []
    const { animate } = Element.prototype
    Element.prototype.animate = function (...given) {
      if (this instanceof SVGPathElement && this.closest('article')) {
        drawn.push([...(this.parentElement?.children ?? [])].indexOf(this))
      }
      return animate.apply(this, given)
    }
    Object.assign(globalThis, { drawn })
  })
  return () => on.evaluate(() => Reflect.get(globalThis, 'drawn').splice(0).sort())
}
