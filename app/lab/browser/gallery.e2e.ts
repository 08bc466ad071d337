import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepSignIn, waitUntilKept } from './account-steps.ts'
import { chatRow, composer, message, openChat, readTicks, say } from './chat-steps.ts'
import { attach, drawPhoto, sendDialog, writeText } from './file-steps.ts'
import { findProblems } from './find-problems.ts'
import { createLook } from './looks/look.ts'
import { deleteMessage, hasFocus } from './message-steps.ts'
import { chooseSetting, untilSettingStored } from './settings-steps.ts'
import { startTwoPeople } from './start-two-people.ts'
import { holdAtOnce, holdOffer } from './undo-steps.ts'

const people = await startTwoPeople({
  keepsApp: true,
  hasOwnBrowser: true,
})
const { ann, ben } = people
const { page } = ann
const gallery = page.getByRole('dialog')
const named = (name: string) => page.getByRole('dialog', { name })
const tile = (name: string) =>
  page.getByRole('tabpanel').getByRole('button', { name: new RegExp(`^Open picture ${name}`) })
const button = (name: string) => page.getByRole('button', { name, exact: true })

beforeAll(async () => {
  await openChat(ben.page, 'ann')
  await openChat(page, 'ben')
})
afterAll(() => people.close())

async function sendPhoto(name: string, caption: string, width = 1200) {
  const photo = await drawPhoto(ben.page, { name, width })
  await attach(ben.page, 'Photos & Videos', [photo])
  await sendDialog(ben.page).getByRole('textbox').fill(caption)
  await sendDialog(ben.page).getByRole('button', { name: 'Send' }).click()
}

async function openMedia(at = page) {
  await at.getByRole('button', { name: 'More', exact: true }).click()
  await at.getByRole('menuitem', { name: 'Media, files and links' }).click()
  await at.getByRole('heading', { name: 'Media, files and links' }).waitFor()
}

/**
 * From the Media tab through the gallery to the first picture's message, and by Back to the chat.
 */
async function visitFirst() {
  await tile('first.jpg').click()
  await gallery.getByRole('button', { name: 'Go to message' }).click()
  await message(page, 'the first').waitFor()
  await gallery.waitFor({ state: 'detached' })
  await page.goBack()
  await tile('first.jpg').waitFor()
  await page.goBack()
}

/** The zoom factor, from the drawn width. */
async function readScale(): Promise<number> {
  const picture = gallery.getByRole('img')
  return picture.evaluate((element) => {
    const drawn = element.parentElement
    if (!drawn) throw new Error('The picture stands nowhere.')
    return Math.round((10 * drawn.getBoundingClientRect().width) / drawn.offsetWidth) / 10
  })
}

test('a chat without them says so for media, files and links, by three tabs and their keys', async () => {
  await openMedia()
  const tabs = page.getByRole('tablist', { name: 'Media, files and links' })
  await page.getByText('No photos or videos yet').waitFor()
  await tabs.getByRole('tab', { name: 'Media' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByText('No files yet').waitFor()
  await page.keyboard.press('ArrowRight')
  await page.getByText('No links yet').waitFor()
  expect(new URL(page.url()).pathname).toMatch(/\/links$/)
  await expect.poll(() => tabs.getByRole('tab', { selected: true }).textContent()).toBe('Links')
  await expect.poll(() => page.title()).toBe('Media, files and links: ben | Petrel')
  expect(await findProblems(page)).toEqual([])
  await page.goBack()
  await page.getByRole('textbox', { name: 'Type a message' }).waitFor()
})

test('the pictures of a chat are looked through by keys, buttons and pulling, and their place is said', async () => {
  await sendPhoto('first.jpg', 'the first')
  await say(ben.page, 'words between them')
  await sendPhoto('second.jpg', 'the second', 700)
  await sendPhoto('third.jpg', 'the third')
  // Each that comes moves those above it.
  await button('Open picture third.jpg').waitFor()
  await button('Open picture second.jpg').click()
  await named('second.jpg').getByRole('img', { name: 'the second' }).waitFor()
  await gallery.getByText(/^ben · Today, \d\d:\d\d · 2 of 3$/).waitFor()
  await gallery
    .getByRole('status')
    .getByText(/^2 of 3, second\.jpg, ben, Today/)
    .waitFor()
  expect(await findProblems(page)).toEqual([])
  await page.keyboard.press('ArrowLeft')
  await named('first.jpg').waitFor()
  await expect.poll(() => button('Previous').getAttribute('aria-disabled')).toBe('true')
  await page.keyboard.press('ArrowLeft')
  await button('Next').click()
  await named('second.jpg').waitFor()
  await button('Next').click()
  await named('third.jpg').getByRole('img').waitFor()
  await page.mouse.move(500, 400)
  await page.mouse.down()
  await page.mouse.move(560, 402)
  await page.mouse.move(700, 405)
  await page.mouse.up()
  await named('second.jpg').waitFor()
  await page.keyboard.press('Escape')
  await gallery.waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(button('Open picture second.jpg'))).toBe(true)
})

test('a picture is zoomed by keys, the wheel, two presses and two fingers, and moved while it is', async () => {
  await button('Open picture third.jpg').click()
  await named('third.jpg').getByRole('img').waitFor()
  const center = () =>
    gallery.getByRole('img').evaluate((element) => {
      const { left, width } = element.getBoundingClientRect()
      return left + width / 2
    })
  await page.keyboard.press('+')
  await expect.poll(readScale).toBe(1.5)
  await page.keyboard.press('+')
  const before = await center()
  await page.keyboard.press('ArrowRight')
  await expect.poll(center).toBeLessThan(before)
  await named('third.jpg').waitFor()
  await page.keyboard.press('0')
  await expect.poll(readScale).toBe(1)
  await page.mouse.move(640, 400)
  await page.mouse.wheel(0, -400)
  await expect.poll(readScale).toBeGreaterThan(2)
  const middle = await center()
  await page.mouse.down()
  await page.mouse.move(600, 400)
  await page.mouse.move(540, 400)
  await page.mouse.up()
  await expect.poll(center).toBeLessThan(middle - 50)
  await pressTwice(640, 400)
  await expect.poll(readScale).toBe(1)
  await pressTwice(640, 400)
  await expect.poll(readScale).toBe(2.5)
  await page.keyboard.press('-')
  await page.keyboard.press('-')
  await page.keyboard.press('-')
  await expect.poll(readScale).toBe(1)
  await pinch([
    [600, 680],
    [540, 740],
    [480, 800],
  ])
  await expect.poll(readScale).toBe(4)
  await page.keyboard.press('Escape')
})

/** Presses twice within a tenth of a second, however long the browser takes for each. */
async function pressTwice(x: number, y: number) {
  await page.mouse.move(x, y)
  const session = await page.context().newCDPSession(page)
  const press = { x, y, button: 'left', clickCount: 1 } as const
  const begun = Date.now() / 1_000
  for (const at of [begun, begun + 0.1]) {
    await session.send('Input.dispatchMouseEvent', {
      ...press,
      type: 'mousePressed',
      timestamp: at,
    })
    await session.send('Input.dispatchMouseEvent', {
      ...press,
      type: 'mouseReleased',
      timestamp: at,
    })
  }
  await session.detach()
}

/** Moves two fingers through pairs of places. */
async function pinch(pairs: [number, number][]) {
  const session = await page.context().newCDPSession(page)
  for (const [index, [left, right]] of pairs.entries()) {
    const touchPoints = [left, right].map((x, id) => ({ x, y: 400, id }))
    const type = index === 0 ? 'touchStart' : 'touchMove'
    await session.send('Input.dispatchTouchEvent', { type, touchPoints })
  }
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await session.detach()
}

test('media, files and links stand by month; each opens, and leads to its message', async () => {
  await attach(ben.page, 'Document', [writeText('map.txt', 'a map')])
  await sendDialog(ben.page).getByRole('button', { name: 'Send' }).click()
  await say(ben.page, 'tides are at https://example.org/tides today')
  await page.getByText('tides are at').first().waitFor()
  await openMedia()
  const month = new Date().toLocaleDateString('en', { month: 'long', year: 'numeric' })
  await page.getByRole('heading', { name: month }).waitFor()
  const shown = page.getByRole('tabpanel').getByRole('button', { name: /^Open/ })
  const readNames = () =>
    shown.evaluateAll((all) => all.map(({ ariaLabel }) => /(\w+)\.jpg/.exec(ariaLabel ?? '')?.[1]))
  await expect.poll(readNames).toEqual(['third', 'second', 'first'])
  await tile('first.jpg').click()
  await named('first.jpg').getByRole('img').waitFor()
  await gallery.getByText(/1 of 3$/).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => hasFocus(tile('first.jpg'))).toBe(true)

  await page.getByRole('tab', { name: 'Files' }).click()
  const downloading = page.waitForEvent('download')
  await button('Download map.txt').click()
  expect(await readFile(await (await downloading).path(), 'utf8')).toBe('a map')

  await page.getByRole('tab', { name: 'Links' }).click()
  const link = page.getByRole('link', { name: 'https://example.org/tides', exact: true })
  expect(await link.getAttribute('rel')).toContain('noopener')
  expect(await link.getAttribute('target')).toBe('_blank')
  await button('Go to message').click()
  const words = page.getByRole('article', { name: /tides are at/ })
  await words.waitFor()
  await page.goBack()
  await link.waitFor()
  await page.getByRole('tab', { name: 'Media' }).click()
  await visitFirst()
})

test('without a network all of it is there, also after a reload; what is not yet is blurred until it comes', async () => {
  await waitUntilKept(ann)
  await page.goto('/chat')
  // No one looks at it, so nothing downloads it.
  await sendPhoto('late.jpg', 'the late one')
  await chatRow(page, 'ben').getByText('the late one').waitFor()
  await ann.goOffline()
  await chatRow(page, 'ben').click()
  await openMedia()
  await page.reload()
  await tile('third.jpg').getByRole('img', { name: 'the third' }).waitFor()
  await tile('third.jpg').click()
  await named('third.jpg').getByRole('img', { name: 'the third' }).waitFor()
  await gallery.getByText(/3 of 4$/).waitFor()
  await page.keyboard.press('ArrowRight')
  const late = named('late.jpg')
  await late.getByRole('button', { name: /^Load / }).waitFor()
  await expect.poll(() => late.locator('img[src^="data:image/"]').count()).toBe(1)
  await ann.goOnline()
  await late.getByRole('img', { name: 'the late one' }).waitFor()
  await expect.poll(() => late.locator('img[src^="data:image/"]').count()).toBe(0)
  await page.keyboard.press('Escape')
  await gallery.waitFor({ state: 'detached' })
})

test('arrow keys count that are pressed before the neighbours are known', async () => {
  await page.goBack()
  await page.evaluate(() => {
    const observer = new MutationObserver(() => {
      const opened = document.querySelector('[role="dialog"]')
      if (!opened) return
      observer.disconnect()
      for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowRight']) {
        opened.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      }
    })
    observer.observe(document.body, { childList: true, subtree: true })
  })
  await button('Open picture late.jpg').click()
  await named('second.jpg').getByRole('img', { name: 'the second' }).waitFor()
  await page.keyboard.press('Escape')
  await openMedia()
})

test('what is deleted leaves at once, and comes back when that is undone', async () => {
  await page.goBack()
  const undo = ben.page.getByRole('button', { name: 'Undo' })
  await holdOffer(ben.page, deleteMessage(ben.page, 'the third'))
  await openMedia()
  await tile('third.jpg').waitFor()
  await undo.click()
  await deleteMessage(ben.page, 'the second')
  await tile('second.jpg').waitFor({ state: 'detached' })
  expect(await tile('third.jpg').isVisible()).toBe(true)
  await openMedia(ben.page)
  const own = ben.page.getByRole('tabpanel').getByRole('button', { name: /^Open picture/ })
  await expect.poll(() => own.count()).toBe(3)
  await ben.page.goBack()
  await holdOffer(ben.page, deleteMessage(ben.page, 'the third'))
  // By the keyboard: the pointer stays where it is.
  await ben.page.getByRole('button', { name: 'More', exact: true }).press('Enter')
  // The offer that was held goes with the chat, and is another one here, with what is left of its time.
  const away = composer(ben.page).waitFor({ state: 'detached' })
  await Promise.all([
    holdAtOnce(ben.page, { isAnother: true }),
    away.then(() => undo.hover()),
    ben.page.getByRole('menuitem', { name: 'Media, files and links' }).press('Enter'),
  ])
  await expect.poll(() => own.count()).toBe(2)
  await undo.click()
  await expect.poll(() => own.count()).toBe(3)
  await ben.page.goBack()
})

test('on a phone Back closes the gallery before it leaves, and the way to a message leaves nothing behind', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await tile('first.jpg').click()
  await named('first.jpg').waitFor()
  await expect.poll(() => page.evaluate('history.state?.backLayers ?? 0')).toBe(1)
  await page.goBack()
  await gallery.waitFor({ state: 'detached' })
  await visitFirst()
  await button('Open picture third.jpg').click()
  await gallery.getByRole('button', { name: 'Previous' }).click()
  await gallery.getByRole('button', { name: 'Go to message' }).click()
  await gallery.waitFor({ state: 'detached' })
  await message(page, 'the first').waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('on a slow device, too, the way to a message leads there and not to the end of the chat', async () => {
  for (const number of [1, 2, 3, 4, 5, 6]) await say(ben.page, `further words ${number}`)
  await chatRow(page, 'ben').getByText('further words 6').waitFor()
  await openMedia()
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 6 })
  for (let round = 0; round < 8; round++) {
    await tile('first.jpg').click()
    await gallery.getByRole('button', { name: 'Go to message' }).click()
    await message(page, 'the first').waitFor()
    await page.goBack()
  }
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await page.goBack()
})

test('the gallery and its code are not fetched before they are wanted', async () => {
  await keepSignIn(ann)
  await ann.page.getByRole('link', { name: 'ben' }).first().click()
  await ann.page.getByRole('textbox', { name: 'Type a message' }).waitFor()
  const fetched = () =>
    ann.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
  const isOurs = (name: string) => /\/(shared|media-route|sifted-window)-/.test(name)
  expect((await fetched()).filter(isOurs)).toEqual([])
  await ann.page.getByRole('button', { name: 'Open picture late.jpg' }).click()
  await ann.page.getByRole('dialog', { name: 'late.jpg' }).waitFor()
  // What was fetched is listed a moment later.
  await expect.poll(async () => (await fetched()).filter(isOurs)).not.toEqual([])
  await ann.page.keyboard.press('Escape')
})

test('the gallery and the three tabs fit every width and both themes', async () => {
  const look = await createLook(ann.page)
  await ann.page.getByRole('button', { name: 'Open picture late.jpg' }).click()
  await ann.page.getByRole('dialog', { name: 'late.jpg' }).getByRole('img').waitFor()
  await look('the gallery')
  await ann.page.keyboard.press('Escape')
  await openMedia(ann.page)
  for (const name of ['Media', 'Files', 'Links']) {
    await ann.page.getByRole('tab', { name }).click()
    await look(`the tab ${name}`)
  }
})

test('the next picture is fetched ahead, so that it is there when the network goes', async () => {
  // The element may differ from the one at the beginning.
  const { page } = ann
  await page.goto('/settings/storage')
  await chooseSetting(page, 'Download pictures and voice messages', 'Never')
  await untilSettingStored(page, 'loadPictures', 'never')
  await sendPhoto('far.jpg', 'the far one')
  for (const part of ['one', 'two', 'three']) {
    await say(ben.page, `part ${part}\n${'a line of it\n'.repeat(30)}end`)
  }
  await sendPhoto('near.jpg', 'the near one')
  await page.goto('/chat')
  // Pictures take their time to leave: opened before they are there, the chat has nothing unread.
  await chatRow(page, 'ben').getByText('the near one').waitFor()
  await chatRow(page, 'ben').click()
  // The four new messages are higher than the screen: the chat begins at the first.
  await page.getByText('Unread messages', { exact: true }).waitFor()
  await expect.poll(() => message(page, 'the near one').count()).toBe(0)
  await page.getByRole('button', { name: /^Go to the newest message/ }).click()
  const near = message(page, 'the near one').getByRole('button')
  await near.and(page.getByRole('button', { name: /^Download, / })).waitFor()
  await message(page, 'the near one').scrollIntoViewIfNeeded()
  await expect.poll(() => readTicks(ben.page, 'the near one')).toBe('Read')
  await page.goto('/settings/storage')
  await chooseSetting(page, 'Download pictures and voice messages', 'Always')
  await untilSettingStored(page, 'loadPictures', 'always')
  await page.goto('/chat')
  await chatRow(page, 'ben').click()
  const opens = page.getByRole('button', { name: 'Open picture near.jpg' })
  await opens.waitFor()
  const countFetched = () =>
    page.evaluate(
      () =>
        performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/media/'))
          .length,
    )
  // A picture is drawn before its request is listed.
  await expect.poll(countFetched).toBeGreaterThan(0)
  const before = await countFetched()
  await opens.click()
  await expect.poll(countFetched).toBe(before + 1)
  await ann.goOffline()
  await page.keyboard.press('ArrowLeft')
  const far = page.getByRole('dialog', { name: 'far.jpg' })
  await far.getByRole('img', { name: 'the far one' }).waitFor()
  await page.keyboard.press('Escape')
  await ann.goOnline()
})
