import { afterAll, expect, test } from 'vitest'
import { composer, message, openChat, say } from './chat-steps.ts'
import { offered, picker, pressLong } from './emoji-steps.ts'
import { findProblems } from './find-problems.ts'
import { hasFocus } from './message-steps.ts'
import { startAnnAlone } from './start-two-people.ts'

const phone = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } }
const people = await startAnnAlone(phone)
const { page } = people.ann
const touch = await page.context().newCDPSession(page)
afterAll(() => people.close())

const isWriting = () => composer(page).evaluate((field) => field === document.activeElement)

/** How many layers Back closes before it leaves the chat. */
const countLayers = () => page.evaluate<number>('history.state?.backLayers ?? 0')

const readKeyboardHeight = () =>
  page.evaluate(() => document.documentElement.style.getPropertyValue('--keyboard-height'))

/** How many rows of emoji are in sight, to a pixel. */
const countWholeRows = () =>
  picker(page)
    .getByRole('option')
    .evaluateAll((all) => {
      const view = all[0]?.closest('[role="listbox"]')?.parentElement?.getBoundingClientRect()
      const inView = all
        .map((one) => one.getBoundingClientRect())
        .filter(({ top, bottom }) => view && top >= view.top - 1 && bottom <= view.bottom + 1)
      return new Set(inView.map(({ top }) => top)).size
    })

test('it takes the place of the keyboard, as high as that was, and gives it back', async () => {
  await openChat(page, 'ben')
  await composer(page).tap()
  // Without the focus it would be the page that got smaller.
  await expect.poll(() => isWriting()).toBe(true)
  // As in Chromium on a phone: the keyboard takes its height from the page, and gives it back.
  await page.setViewportSize({ width: 390, height: 844 - 336 })
  await expect.poll(readKeyboardHeight).toBe('336px')
  await page.getByRole('button', { name: 'Emoji', exact: true }).tap()
  await page.setViewportSize(phone.viewport)
  await offered(page, 'Grinning Face').tap()
  // The browser makes the click of a tap, a moment after it.
  await expect.poll(() => composer(page).inputValue()).toBe('😀')
  expect(await isWriting()).toBe(false)
  // The page hears a moment late that it has its height again.
  const readPanel = async () => {
    const { x = 0, y = 0, width = 0, height = 0 } = (await picker(page).boundingBox()) ?? {}
    const field = await composer(page).boundingBox()
    const isOver = field !== null && field.y + field.height <= y
    const rows = await countWholeRows()
    return { x, width, height, bottom: Math.round(y + height), isOver, rows }
  }
  await expect.poll(readPanel).toEqual({
    ...{ x: 0, width: 390, height: expect.closeTo(335, 0), bottom: 844 },
    ...{ isOver: true, rows: 6 },
  })
  expect(await findProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Keyboard', exact: true }).tap()
  await picker(page).waitFor({ state: 'detached' })
  await expect.poll(() => isWriting()).toBe(true)
  await page.getByRole('button', { name: 'Emoji', exact: true }).tap()
  await picker(page).waitFor()
  await composer(page).tap()
  await picker(page).waitFor({ state: 'detached' })
  // The step back over its entry is still under way, and would count as that of the next one.
  await expect.poll(countLayers).toBe(0)
  await composer(page).fill('')
})

test('Back closes it, and leaves the chat open', async () => {
  await page.getByRole('button', { name: 'Emoji', exact: true }).tap()
  await offered(page, 'Grinning Face').first().waitFor()
  await expect.poll(countLayers).toBe(1)
  await page.goBack()
  await picker(page).waitFor({ state: 'detached' })
  expect(await composer(page).isVisible()).toBe(true)
})

test('a finger that stays on an emoji opens its skin tones, and picks nothing by itself', async () => {
  await page.getByRole('button', { name: 'Emoji', exact: true }).tap()
  await picker(page).getByRole('button', { name: 'Search emoji' }).tap()
  const search = picker(page).getByRole('combobox', { name: 'Search emoji' })
  await expect.poll(() => hasFocus(search)).toBe(true)
  await search.fill('thumbsup')
  const tones = picker(page).getByRole('toolbar', { name: 'Skin tones of Thumbs Up' })
  await pressLong(touch, offered(page, 'Thumbs Up'), () => tones.waitFor())
  expect(await tones.count()).toBe(1)
  expect(await composer(page).inputValue()).toBe('')
  await tones.getByRole('button', { name: 'Thumbs Up, Medium', exact: true }).tap()
  await expect.poll(() => composer(page).inputValue()).toBe('👍🏽')
  // Without the search, what was picked comes first at the next opening.
  await picker(page).getByRole('button', { name: 'End search' }).tap()
  await picker(page).getByRole('navigation').waitFor()
  await picker(page).getByRole('button', { name: 'Skin tone' }).tap()
  await picker(page).getByRole('radio', { name: 'Dark', exact: true }).waitFor()
  await picker(page).getByRole('button', { name: 'Skin tone' }).tap()
  await page.getByRole('button', { name: 'Keyboard', exact: true }).tap()
  await picker(page).waitFor({ state: 'detached' })
  await composer(page).fill('')
})

test('a finger that stays on a message opens the seven reactions above its menu', async () => {
  // The smallest phone: they still are one line.
  await page.setViewportSize({ width: 360, height: 844 })
  await say(page, 'by a finger')
  const heart = page.getByRole('menuitemradio', { name: 'Red heart' })
  await pressLong(touch, message(page, 'by a finger').locator('[dir="auto"]'), () =>
    heart.waitFor(),
  )
  const line = page.getByRole('menuitemradio').or(page.getByRole('menuitem', { name: 'More' }))
  expect(await line.count()).toBe(8)
  const tops = await line.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
  expect(new Set(tops).size).toBe(1)
  expect(await findProblems(page)).toEqual([])
  await heart.tap()
  const chip = message(page, 'by a finger').getByRole('button', { name: '❤️ You' })
  await chip.waitFor()
  await chip.tap()
  await chip.waitFor({ state: 'detached' })
  await page.setViewportSize(phone.viewport)
})

test('all other reactions come from below', async () => {
  const more = page.getByRole('menuitem', { name: 'More reactions' })
  await pressLong(touch, message(page, 'by a finger').locator('[dir="auto"]'), () => more.waitFor())
  await more.tap()
  await picker(page).waitFor()
  await expect
    .poll(async () => {
      const { y = 0, height = 0 } = (await picker(page).boundingBox()) ?? {}
      return Math.round(y + height)
    })
    .toBe(844)
  await offered(page, 'Grinning Face').first().tap()
  await picker(page).waitFor({ state: 'detached' })
  await message(page, 'by a finger').getByRole('button', { name: '😀 You' }).waitFor()
})
