import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn } from './account-steps.ts'
import { chatRow, composer } from './chat-steps.ts'
import { listOverflowing } from './list-overflowing.ts'
import { fillScreens } from './looks/fill-screens.ts'
import { keepConnectingUnsaid } from './looks/keep-connecting-unsaid.ts'
import { recordFrames } from './looks/record-frames.ts'
import { recordMovements } from './looks/record-movements.ts'
import { recordShifts } from './looks/record-shifts.ts'
import { ownWords } from './message-steps.ts'
import { createPerson } from './person.ts'
import { startBuiltServer } from './start-built-server.ts'

const server = await startBuiltServer()
const cast = await fillScreens(server.origin)
const ann = await createPerson(server, cast.ann.email)
const { page } = ann
const session = await page.context().newCDPSession(page)
const phone = { width: 390, height: 844 }
const log = page.getByRole('log')

beforeAll(async () => {
  await page.goto('/login')
  await signIn({ ...ann, page, password: cast.ann.password })
})

afterAll(async () => {
  await ann.close()
  await server.close()
})

async function openBen() {
  await page.goto('/chat')
  await chatRow(page, 'ben').click()
  await ownWords(page, 'the boat is ready').waitFor()
}

test('on a wide screen the list is 28rem wide', async () => {
  for (const width of [1024, 1280, 1920]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto('/chat')
    await chatRow(page, 'ben').waitFor()
    const panel = page.getByRole('region', { name: 'Chats' }).locator('xpath=../..')
    await expect
      .poll(async () => (await panel.boundingBox())?.width, { message: `${width}` })
      .toBe(448)
  }
})

test('below 1024 px the chat takes the place of the list, and leads back', async () => {
  for (const width of [900, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await openBen()
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

test.each([
  ['reduce', false],
  ['no-preference', true],
] as const)('where the system asks to %s motion, something moves: %s', async (motion, moves) => {
  await page.emulateMedia({ reducedMotion: motion })
  const movements = await recordMovements(page)
  await page.setViewportSize(phone)
  await page.goto('/chat')
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('dialog', { name: 'Main' }).getByRole('link', { name: 'Chats' }).click()
  await chatRow(page, 'ben').click()
  await ownWords(page, 'the boat is ready').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Info' }).click()
  await page.getByRole('dialog', { name: 'Message info' }).waitFor()
  await page.keyboard.press('Escape')
  await cast.ben.api.messages.send({ recipientId: cast.ann.userId, content: `it is ${motion}` })
  await ownWords(page, `it is ${motion}`).waitFor()
  expect((await movements.list()).length > 0, String(await movements.list())).toBe(moves)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await untilHistoryRests()
})

test.each([
  ['reduce', false],
  ['no-preference', true],
] as const)(
  'with motion %s a chat lies over the list only where it is whole, and moves in and out: %s',
  async (motion, moves) => {
    await page.emulateMedia({ reducedMotion: motion })
    await page.setViewportSize(phone)
    await page.goto('/chat')
    await chatRow(page, 'ben').waitFor()
    const opening = await recordFrames(page)
    await chatRow(page, 'ben').click()
    await ownWords(page, 'the boat is ready').waitFor()
    const opened = await opening.take()
    const isBare = ({ hasList, pane }: (typeof opened)[number]) => !hasList && pane?.leftPx !== 0
    expect(opened.filter(isBare)).toEqual([])
    expect(opened.filter(({ pane }) => pane && pane.opacity < 1)).toEqual([])
    expect(opened.some(({ pane }) => pane && pane.leftPx > 0 && pane.leftPx < phone.width)).toBe(
      moves,
    )
    expect(opened.at(-1)?.hasList).toBe(false)

    const leaving = await recordFrames(page)
    await page.goBack()
    await chatRow(page, 'ben').waitFor()
    const left = await leaving.take()
    expect(left.filter(isBare)).toEqual([])
    const isOnItsWay = (frame: (typeof left)[number]) =>
      frame.hasList && frame.leaving && frame.leaving.leftPx > 0 && frame.leaving.articles > 0
    expect(left.some(isOnItsWay)).toBe(moves)
    expect(left.at(-1)?.leaving).toBeUndefined()
    await page.emulateMedia({ reducedMotion: 'reduce' })
  },
)

test.each([
  ['reduce', false],
  ['no-preference', true],
] as const)(
  'with motion %s a section of the settings moves in over their list, and out again: %s',
  async (motion, moves) => {
    await page.emulateMedia({ reducedMotion: motion })
    await page.setViewportSize(phone)
    await page.goto('/settings')
    const section = page.getByRole('link', { name: 'Privacy' })
    await section.waitFor()
    // The list lies beneath whatever does not cover it.
    const isBare = ({ leftPx, hasList }: Sighting) =>
      !hasList && (leftPx === undefined || leftPx > phone.width / 4)

    const opening = await recordHeading('Privacy')
    await section.click()
    await page.getByRole('heading', { name: 'Privacy', level: 1 }).waitFor()
    const opened = await opening.take()
    expect(opened.filter(isBare)).toEqual([])
    expect(opened.some(({ isMoving }) => isMoving)).toBe(moves)
    expect(opened.at(-1)?.hasList).toBe(false)

    const leaving = await recordHeading('Privacy')
    await page.getByRole('button', { name: 'Back to settings' }).click()
    await section.waitFor()
    const left = await leaving.take()
    expect(left.filter(isBare)).toEqual([])
    expect(left.some(({ isMoving }) => isMoving)).toBe(moves)
    expect(left.at(-1)).toEqual({ hasList: true, isMoving: false })
    await page.emulateMedia({ reducedMotion: 'reduce' })
  },
)

interface Sighting {
  /** Where the heading begins; undefined while there is none. */
  leftPx?: number
  /** Is the list of the settings there? */
  hasList: boolean
  /** Does what the heading belongs to move? A slow machine may draw only the move's first and last frame. */
  isMoving: boolean
}

/** Records in each frame where a section's heading is, until `take` is called once all holds still. */
async function recordHeading(words: string): Promise<{ take(): Promise<Sighting[]> }> {
  await page.evaluate((words) => {
    const sightings: Sighting[] = []
    Object.assign(globalThis, { sightings })
    const look = () => {
      const heading = [...document.querySelectorAll('h1')].find((one) => one.textContent === words)
      const leftPx = heading && Math.round(heading.getBoundingClientRect().left)
      sightings.push({
        ...(leftPx === undefined ? {} : { leftPx }),
        hasList: document.querySelector('nav[aria-label="Settings"]') !== null,
        isMoving: document
          .getAnimations()
          .some(
            ({ effect }) =>
              effect instanceof KeyframeEffect && effect.target?.contains(heading ?? null),
          ),
      })
      if (Reflect.get(globalThis, 'sightings') === sightings) requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  }, words)
  return {
    take: () =>
      page.evaluate(async () => {
        const seen: Sighting[] = Reflect.get(globalThis, 'sightings')
        const last = () => JSON.stringify(seen.at(-1))
        do await new Promise(requestAnimationFrame)
        while (seen.length < 20 || !seen.slice(-12).every((one) => JSON.stringify(one) === last()))
        Object.assign(globalThis, { sightings: undefined })
        return seen
      }),
  }
}

test('a menu and a question fit on a phone of 360 px at 200 %', async () => {
  await page.setViewportSize({ width: 180, height: 320 })
  await page.goto('/chat')
  await chatRow(page, 'carl').focus()
  await page.keyboard.press('Shift+F10')
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
  await expect.poll(() => listOverflowing(page)).toEqual([])
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const cancel = page.getByRole('dialog').getByRole('button', { name: 'Cancel' })
  await cancel.click()
  await cancel.waitFor({ state: 'detached' })
  await untilHistoryRests()
  await openBen()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Go to date' }).waitFor()
  await expect.poll(() => listOverflowing(page)).toEqual([])
  await page.keyboard.press('Escape')
  await ownWords(page, 'the boat is ready').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Forward' }).waitFor()
  await expect.poll(() => listOverflowing(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await untilHistoryRests()
})

test('the keyboard of a phone lies over the page, and the composer stays above it', async () => {
  await page.setViewportSize(phone)
  await openBen()
  await coverByKeyboard(350)
  await expect.poll(async () => bottomOf(composer(page))).toBeLessThanOrEqual(844 - 350)
  await expect
    .poll(async () => bottomOf(ownWords(page, 'the boat is ready')))
    .toBeLessThan(844 - 350)
  // Zooming in shows less of the unchanged page in the same window.
  await coverByKeyboard(350, 2)
  await coverByKeyboard(0)
  await expect.poll(async () => bottomOf(composer(page))).toBeGreaterThan(844 - 40)
  await coverByKeyboard(350, 2)
  expect(await bottomOf(composer(page))).toBeGreaterThan(844 - 40)
  await coverByKeyboard(0)
})

test('what is pulled over its end pulls nothing else along', async () => {
  await page.setViewportSize(phone)
  await openBen()
  const read = (element: Element) => getComputedStyle(element).overscrollBehaviorY
  await expect.poll(() => log.evaluate(read)).toBe('contain')
  expect(await page.locator('body').evaluate(read)).toBe('none')
  await page.getByRole('button', { name: 'Back to chats' }).click()
  const list = page.getByRole('list', { name: 'Conversations' }).locator('xpath=..')
  await expect.poll(() => list.evaluate(read)).toBe('contain')
  await page.goto('/settings')
  const settings = page.getByRole('navigation', { name: 'Settings' })
  await settings.waitFor()
  expect(
    await settings.evaluate((element) => {
      const scroller = element.closest('main')?.querySelector('[class*="body"]')
      return scroller && getComputedStyle(scroller).overscrollBehaviorY
    }),
  ).toBe('contain')
})

test('nothing lies under the rounded corners and the bar of a phone', async () => {
  const insets = { top: 47, bottom: 34, left: 0, right: 0 }
  await session.send('Emulation.setSafeAreaInsetsOverride', { insets })
  await page.setViewportSize(phone)
  await openBen()
  const back = await page.getByRole('button', { name: 'Back to chats' }).boundingBox()
  expect(back?.y).toBeGreaterThanOrEqual(47)
  await expect.poll(async () => bottomOf(composer(page))).toBeLessThanOrEqual(844 - 34)
  // The keyboard covers the bar: no room is left for it.
  await coverByKeyboard(350)
  await expect.poll(async () => bottomOf(composer(page))).toBeGreaterThan(844 - 350 - 34)
  await coverByKeyboard(0)
  await page.getByRole('button', { name: 'Back to chats' }).click()
  const menu = await page.getByRole('button', { name: 'Open menu' }).boundingBox()
  expect(menu?.y).toBeGreaterThanOrEqual(47)
  await session.send('Emulation.setSafeAreaInsetsOverride', { insets: {} })
})

test('what is seen stays where it is while the list and a chat open', async () => {
  const shifts = await recordShifts(page)
  await keepConnectingUnsaid(page)
  await page.setViewportSize({ width: 1280, height: 800 })
  await openBen()
  expect(await shifts.list()).toEqual([])
  await page.goto(`/chat/${cast.carl.userId}`)
  await page.getByText('message 40 of 40').last().waitFor()
  expect(await shifts.list()).toEqual([])
})

/** A layer that closes leaves the browser's history a moment later, and would stop a page that loads. */
async function untilHistoryRests() {
  await expect.poll(() => page.evaluate('history.state?.backLayers ?? 0')).toBe(0)
}

async function bottomOf(part: typeof log): Promise<number> {
  const box = await part.boundingBox()
  return box ? box.y + box.height : Number.POSITIVE_INFINITY
}

/** Headless Chromium has no keyboard: simulates Safari's visual viewport change. */
async function coverByKeyboard(height: number, scale = 1) {
  await page.evaluate(
    ({ height, scale }) => {
      const viewport = window.visualViewport
      if (!viewport) throw new Error('There is no visual viewport')
      const values = { height: (innerHeight - height) / scale, scale }
      for (const [name, value] of Object.entries(values)) {
        Object.defineProperty(viewport, name, { get: () => value, configurable: true })
      }
      viewport.dispatchEvent(new Event('resize'))
    },
    { height, scale },
  )
}
