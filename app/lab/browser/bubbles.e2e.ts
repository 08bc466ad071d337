import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { composer, message, openChat, say } from './chat-steps.ts'
import { attach, drawPhoto, recordVideo, sendDialog, writeText } from './file-steps.ts'
import { findProblems } from './find-problems.ts'
import {
  chooseOn,
  deleteMessage,
  hasFocus,
  leaveByEscape,
  ownWords,
  pressBeside,
  showTooltip,
  untilAccepted,
} from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople()
const { ann, ben } = people
const { page } = ann

beforeAll(async () => {
  await openChat(ben.page, 'ann')
  await openChat(page, 'ben')
})
afterAll(() => people.close())

const boxOf = async (place: Locator) => must((await place.boundingBox()) ?? undefined, 'a box')
const bubblePart = '[class*=bubble]'
const bubbleOf = (row: Locator) => row.locator(bubblePart).first()

async function send(at: Page, action: string, file: Parameters<typeof attach>[2][number]) {
  await attach(at, action, [file])
  await sendDialog(at).getByRole('button', { name: 'Send' }).click()
}

/** The boxes of a row's parts, read at one moment: what is new scrolls. */
function readBoxes<Name extends string>(row: Locator, parts: Record<Name, string>) {
  const given: Record<string, string> = parts
  return row.evaluate((shown, given) => {
    const boxes = Object.entries(given).map(([name, part]) => {
      const { x, y, width, height } = shown.querySelector(part)?.getBoundingClientRect() ?? {}
      return [name, { x: x ?? Number.NaN, y: y ?? 0, width: width ?? 0, height: height ?? 0 }]
    })
    return Object.fromEntries(boxes)
  }, given) as Promise<Record<Name, { x: number; y: number; width: number; height: number }>>
}

/** How far the time of a message lies above the lower edge of its bubble, px. Read at one moment: what is new scrolls. */
const readTimeHeight = (row: Locator) =>
  row.evaluate((shown) => {
    const bottom = (part: string) =>
      shown.querySelector(part)?.getBoundingClientRect().bottom ?? Number.NaN
    return Math.round(bottom('[class*=bubble]') - bottom('time'))
  })

test('letters typed right after Ctrl+F are searched, although the search itself is still loading', async () => {
  await say(page, 'the boat is ready')
  const held: (() => void)[] = []
  let isHeld = true
  await page.route(/chat-search-bar-/, (route) =>
    isHeld ? held.push(() => void route.continue()) : route.continue(),
  )
  await page.keyboard.press('Control+f')
  await page.keyboard.type('boat')
  const field = page.getByRole('searchbox', { name: 'Search in this chat' })
  await expect.poll(() => field.inputValue()).toBe('boat')
  await expect.poll(() => held.length).toBeGreaterThan(0)
  // The part is fetched, and then imported.
  isHeld = false
  for (const letGo of held) letGo()
  await page.getByText('1 of 1').waitFor()
  expect(await field.inputValue()).toBe('boat')
  expect(await hasFocus(field)).toBe(true)
  expect(await composer(page).inputValue()).toBe('')
  await page.keyboard.press('Escape')
  await expect.poll(() => hasFocus(composer(page))).toBe(true)
})

test('the button that takes the place of Send names itself only once the mouse moves', async () => {
  // The layer of the tooltips comes while the mouse rests: it has not seen what was pressed.
  const layer = /tooltip-layer-/
  const held: (() => void)[] = []
  let isHeld = true
  await page.route(layer, (route) =>
    isHeld ? held.push(() => void route.continue()) : route.continue(),
  )
  await page.reload()
  await openChat(page, 'ben')
  await page.evaluate(() => {
    const wait = globalThis.setTimeout
    const listen = globalThis.addEventListener
    const pointed: string[] = []
    Object.assign(globalThis, {
      pointed,
      addEventListener: (...given: Parameters<typeof listen>) => {
        if (given[0] === 'focusout') Object.assign(globalThis, { hasLayer: true })
        listen(...given)
      },
      setTimeout: (work: () => void, ms: number, ...given: unknown[]) => {
        for (const one of given) if (one instanceof Element) pointed.push(one.ariaLabel ?? '')
        return wait(work, ms, ...given)
      },
    })
  })
  const readPointed = () =>
    page.evaluate(() => (globalThis as unknown as { pointed: string[] }).pointed)
  await composer(page).fill('sent by the mouse')
  const box = await boxOf(page.getByRole('button', { name: 'Send', exact: true }))
  await page.mouse.move(box.x + 10, box.y + 10)
  await page.mouse.down()
  await page.mouse.up()
  await message(page, 'sent by the mouse').waitFor()
  const voice = page.getByRole('button', { name: 'Record voice message' })
  await voice.waitFor()
  await expect.poll(() => held.length).toBeGreaterThan(0)
  isHeld = false
  for (const letGo of held) letGo()
  await page.waitForFunction(() => 'hasLayer' in globalThis)
  expect(await readPointed()).not.toContain('Record voice message')
  await page.mouse.move(box.x + 20, box.y + 20)
  await page.getByRole('tooltip', { name: 'Record voice message' }).waitFor()
  await page.mouse.move(600, 300)
  await page.unroute(layer)
})

test('a reply to oneself says so, as its quote does', async () => {
  await chooseOn(page, 'the boat is ready', 'Reply')
  await page.getByText('Replying to yourself', { exact: true }).waitFor()
  await expect.poll(() => hasFocus(composer(page))).toBe(true)
  await page.keyboard.press('Escape')
})

test('a reaction shows the emoji, and who gave it to the pointer and to screen readers', async () => {
  await say(ben.page, 'react to this')
  await pressBeside(ownWords(page, 'react to this'), 'React')
  await page.getByRole('dialog', { name: 'React' }).getByRole('button').first().click()
  const chip = ownWords(page, 'react to this').getByRole('button', { name: /You$/ })
  await chip.waitFor()
  expect(await chip.textContent()).toBe('👍')
  await showTooltip(chip, 'You')
})

test('the time of a folded text and of a deleted message stands where every time stands', async () => {
  await say(page, 'one line')
  // What its ticks take is known.
  await untilAccepted(page, 'one line')
  const usual = await readTimeHeight(ownWords(page, 'one line'))
  await composer(page).fill('far '.repeat(900))
  await composer(page).press('Enter')
  const folded = page
    .getByRole('article')
    .filter({ has: page.getByRole('button', { name: 'Read more' }) })
  await folded.getByRole('img', { name: /^(Sent|Delivered|Read)$/ }).waitFor()
  // Where it needs a line of its own, that line is as low as the time.
  expect(Math.abs((await readTimeHeight(folded)) - usual)).toBeLessThanOrEqual(3)
  await say(ben.page, 'to be deleted')
  await deleteMessage(ben.page, 'to be deleted')
  const deleted = page.getByRole('article', { name: /This message was deleted$/ })
  await deleted.waitFor()
  expect(Math.abs((await readTimeHeight(deleted)) - usual)).toBeLessThanOrEqual(1)
  const { words, bubble } = await readBoxes(deleted, {
    words: '[class*=deleted] > span',
    bubble: bubblePart,
  })
  const middle = words.y + words.height / 2 - bubble.y
  expect(Math.abs(middle - bubble.height / 2)).toBeLessThanOrEqual(2)
})

test('one character of Chinese is searched in the list; one Latin letter asks for more', async () => {
  await say(ben.page, '我们在码头见')
  await message(page, '我们在码头见').waitFor()
  const field = page.getByRole('searchbox', { name: 'Search or start a new chat' })
  const found = page.locator('mark', { hasText: '码' })
  const nothing = page.getByText('No results found')
  await field.fill('码')
  await found.waitFor()
  for (const words of ['头没', '没']) {
    await field.fill('')
    // The answer before has gone: what comes is about these words.
    await found.or(nothing).waitFor({ state: 'detached' })
    await field.fill(words)
    await nothing.waitFor()
  }
  await field.fill('q')
  await page.getByText('Type at least 2 characters').waitFor()
  await field.fill('')
})

test('a picture reaches to 3 px of its bubble, with the time inside and its type for screen readers alone', async () => {
  await send(ben.page, 'Photos & Videos', await drawPhoto(ben.page))
  const row = page
    .getByRole('article')
    .filter({ has: page.getByRole('button', { name: 'Open picture harbour.jpg' }) })
  await row.getByRole('img').first().waitFor()
  const { picture, bubble, time } = await readBoxes(row, {
    picture: '[aria-label^="Open picture harbour.jpg"]',
    bubble: bubblePart,
    time: 'time',
  })
  const edges = [
    picture.x - bubble.x,
    picture.y - bubble.y,
    bubble.x + bubble.width - picture.x - picture.width,
    bubble.y + bubble.height - picture.y - picture.height,
  ]
  expect(edges.map(Math.round)).toEqual([3, 3, 3, 3])
  expect(time.y).toBeGreaterThan(picture.y)
  expect(time.y + time.height).toBeLessThanOrEqual(picture.y + picture.height)
  const chip = row.getByText('Image', { exact: true })
  // For screen readers: what everybody sees is not said over it.
  await row.hover()
  await row.focus()
  expect((await chip.boundingBox())?.width).toBe(1)
  expect(await findProblems(page)).toEqual([])
})

test('a video that is there shows a mark in place of the browser’s controls, and plays by it', async () => {
  await send(page, 'Photos & Videos', await recordVideo(page, { name: 'own.webm' }))
  const row = page.getByRole('article').filter({ has: page.locator('video') })
  await row.getByRole('img', { name: /^(Sent|Delivered|Read)$/ }).waitFor()
  const player = row.locator('video')
  expect(await player.getAttribute('controls')).toBeNull()
  await row.getByRole('button', { name: 'Play video own.webm' }).click()
  await expect
    .poll(() => player.evaluate((video: HTMLVideoElement) => video.currentTime))
    .toBeGreaterThan(0)
  await expect.poll(() => player.getAttribute('controls')).not.toBeNull()
  await expect.poll(() => hasFocus(player)).toBe(true)
})

test('a document says its kind and size in one line, beside which the time stands', async () => {
  await send(page, 'Document', writeText('tides.csv', 'high at noon'))
  const row = page
    .getByRole('article')
    .filter({ has: page.getByRole('button', { name: 'Download tides.csv' }) })
  await row.getByText('CSV · 12 B').waitFor()
  await row.getByRole('img', { name: /^(Sent|Delivered|Read)$/ }).waitFor()
  const [file, bubble] = [
    await boxOf(row.getByRole('button', { name: 'Download tides.csv' })),
    await boxOf(bubbleOf(row)),
  ]
  expect(bubble.height - file.height).toBeLessThan(24)
  expect([...ann.problems, ...ben.problems]).toEqual([])
})

test('pictures of one sending are one bubble, of which each is a message of its own', async () => {
  await say(page, 'before the album')
  const photos = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((number) => drawPhoto(page, { name: `${number}.jpg` })),
  )
  await attach(page, 'Photos & Videos', photos)
  await sendDialog(page).getByRole('textbox').fill('six of them')
  await sendDialog(page).getByRole('button', { name: 'Send' }).click()
  await sendDialog(page).waitFor({ state: 'detached' })
  const album = ben.page.locator('[data-album="4"]')
  await album.getByText('six of them').waitFor()
  await album.getByText('+2', { exact: true }).waitFor()
  const tiles = album.getByRole('article')
  expect(await tiles.count()).toBe(4)
  expect(await tiles.last().getAttribute('aria-label')).toMatch(/, and 2 more$/)
  const bubble = await boxOf(bubbleOf(album))
  for (const tile of await tiles.all()) {
    const { x, width } = await boxOf(tile)
    expect(x).toBeGreaterThanOrEqual(bubble.x)
    expect(x + width).toBeLessThanOrEqual(bubble.x + bubble.width)
  }
  expect(await findProblems(ben.page)).toEqual([])
  await tiles.nth(1).getByRole('button', { name: 'Open picture 2.jpg' }).click()
  await leaveByEscape(ben.page.getByRole('dialog', { name: '2.jpg' }))
  await tiles.nth(2).click({ button: 'right' })
  await ben.page.getByRole('menuitem', { name: 'Select' }).click()
  await ben.page.getByText('1 selected').waitFor()
  await tiles.nth(0).click()
  await ben.page.getByText('2 selected').waitFor()
  await ben.page.keyboard.press('Escape')
  await ben.page.getByText('2 selected').waitFor({ state: 'detached' })
})

test('what is sent fills the conversation: the strip takes more, leaves out and shows, and pictures turn and are cut', async () => {
  const wide = await drawPhoto(page, { name: 'wide.jpg', width: 1200, height: 600 })
  await attach(page, 'Photos & Videos', [wide])
  const view = sendDialog(page)
  const [whole, chat] = [
    await boxOf(view),
    await boxOf(page.getByRole('region', { name: /^Chat with / })),
  ]
  expect(whole).toEqual(chat)
  const choosing = page.waitForEvent('filechooser')
  await view.getByRole('button', { name: 'Add files' }).click()
  await (await choosing).setFiles([await drawPhoto(page, { name: 'more.jpg' })])
  await view.getByRole('heading', { name: 'Send 2 files' }).waitFor()
  await view.getByRole('img', { name: 'more.jpg' }).waitFor()
  await view.getByRole('button', { name: 'Show wide.jpg' }).click()
  const shown = view.getByRole('img', { name: 'wide.jpg' })
  const readRatio = () =>
    shown.evaluate(
      (image: HTMLImageElement) => Math.round((10 * image.naturalWidth) / image.naturalHeight) / 10,
    )
  await expect.poll(readRatio).toBe(2)
  await view.getByRole('button', { name: 'Rotate' }).click()
  await expect.poll(readRatio).toBe(0.5)
  await view.getByRole('button', { name: 'Crop' }).click()
  const corner = view.getByRole('button', { name: /^Corner bottom right/ })
  await corner.focus()
  for (let presses = 0; presses < 25; presses++) await page.keyboard.press('ArrowUp')
  expect(await findProblems(page)).toEqual([])
  await view.getByRole('button', { name: 'Crop to this part' }).click()
  await expect.poll(readRatio).toBe(1)
  await view.getByRole('button', { name: 'Remove more.jpg' }).click()
  await view.getByRole('heading', { name: 'Send file', exact: true }).waitFor()
  await view.getByRole('button', { name: 'Send', exact: true }).click()
  const sent = page.getByRole('button', { name: 'Open picture wide.jpg' }).getByRole('img')
  await expect
    .poll(() =>
      sent.evaluate((image: HTMLImageElement) => image.naturalWidth / image.naturalHeight),
    )
    .toBeCloseTo(1, 1)
  expect([...ann.problems, ...ben.problems]).toEqual([])
})
