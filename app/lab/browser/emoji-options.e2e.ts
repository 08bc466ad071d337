import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { composer, openChat } from './chat-steps.ts'
import { offered, openPicker, pickEmoji, picker } from './emoji-steps.ts'
import { chooseSetting, untilSettingStored } from './settings-steps.ts'
import { startAnnAlone } from './start-two-people.ts'

const people = await startAnnAlone({ colorScheme: 'light' })
const { page } = people.ann
const search = () => picker(page).getByRole('combobox', { name: 'Search emoji' })
const tones = picker(page).getByRole('toolbar', { name: 'Skin tones of Thumbs Up' })

beforeAll(() => openChat(page, 'ben'))
afterAll(() => people.close())

async function choose(group: string, option: string) {
  await page.goto('/settings/chats')
  await chooseSetting(page, group, option)
  if (group === 'Theme') await untilSettingStored(page, 'theme', option.toLowerCase())
  await page.goto('/chat')
  await openChat(page, 'ben')
}

const isDark = () =>
  picker(page).evaluate((element) => {
    const parts = getComputedStyle(element).backgroundColor.match(/[\d.]+/g) ?? []
    return parts.slice(0, 3).reduce((sum, part) => sum + Number(part), 0) < 384
  })

test('auto: the picker is as dark or light as the app, whatever the system says, or as the system', async () => {
  for (const [theme, system, expected] of [
    ['Dark', 'light', true],
    ['Light', 'dark', false],
  ] as const) {
    await page.emulateMedia({ colorScheme: system })
    await choose('Theme', theme)
    await openPicker(page)
    await expect.poll(() => picker(page).getAttribute('data-theme')).toBe('auto')
    await expect.poll(() => isDark(), { message: theme }).toBe(expected)
  }
  await choose('Theme', 'System')
  await openPicker(page)
  await expect.poll(() => isDark()).toBe(true)
  await page.emulateMedia({ colorScheme: 'light' })
  await expect.poll(isDark).toBe(false)
})

test('dark and light: the picker is that, in an app that is not', async () => {
  for (const [theme, app] of [
    ['dark', 'light'],
    ['light', 'dark'],
  ] as const) {
    await page.emulateMedia({ colorScheme: app })
    await picker(page).evaluate((element, theme) => {
      element.dataset.theme = theme
    }, theme)
    await expect.poll(isDark).toBe(theme === 'dark')
  }
  await page.emulateMedia({ colorScheme: 'light' })
})

test('the list begins with what was picked most often, or, as "Recently Used", with what was picked last', async () => {
  for (const name of ['Umbrella', 'Umbrella', 'Grapes']) await pickEmoji(page, name)
  await page.keyboard.press('Escape')
  for (const [mode, names] of [
    ['Recently Used', ['Grapes', 'Umbrella']],
    ['Frequently Used', ['Umbrella', 'Grapes']],
  ] as const) {
    await choose('The emoji picker begins with', mode)
    await openPicker(page)
    const firstGroup = picker(page).getByRole('navigation').getByRole('button').first()
    await expect.poll(() => firstGroup.getAttribute('aria-label')).toBe(mode)
    await picker(page).getByText(mode, { exact: true }).waitFor()
    const first = picker(page).getByRole('option')
    await expect
      .poll(() => first.evaluateAll((all) => all.slice(0, 2).map((one) => one.ariaLabel)))
      .toEqual(names)
    await page.keyboard.press('Escape')
  }
  await composer(page).fill('')
})

test('the preview is of what Enter takes, while the mouse rests on what the search put there', async () => {
  await openPicker(page)
  const preview = picker(page).locator('small')
  await picker(page).getByRole('option').nth(12).hover()
  await preview.waitFor()
  await search().fill('heart')
  const underMouse = picker(page).locator('[role="option"]:hover')
  await expect.poll(() => underMouse.getAttribute('aria-label')).toMatch(/heart/i)
  const marked = picker(page).locator('[aria-selected="true"]')
  expect(await underMouse.getAttribute('aria-selected')).toBe('false')
  const name = must(await marked.getAttribute('aria-label'), 'its name')
  await picker(page).locator('p').getByText(name, { exact: true }).waitFor()
  await search().fill('')
  await page.keyboard.press('Escape')
})

test('499 ms of the mouse are a click, 500 ms open the skin tones', async () => {
  const thumb = await openPaused()
  const box = must(await thumb.boundingBox(), 'thumbs up')
  await page.mouse.move(box.x + 10, box.y + 10)
  await page.mouse.down()
  await page.clock.runFor(499)
  expect(await tones.count()).toBe(0)
  await page.mouse.up()
  await expect.poll(() => composer(page).inputValue()).toBe('👍')
  await page.clock.runFor(1_000)
  expect(await tones.count()).toBe(0)
  await page.mouse.down()
  await page.clock.runFor(500)
  await tones.waitFor()
  await page.mouse.up()
  expect(await composer(page).inputValue()).toBe('👍')
  await leavePaused()
})

test('499 ms of a finger are a tap, 500 ms open the skin tones', async () => {
  const thumb = await openPaused()
  // Simulates a finger's events: a real one would follow the browser's own clock.
  await touch(thumb, 'pointerdown')
  await page.clock.runFor(499)
  expect(await tones.count()).toBe(0)
  await touch(thumb, 'pointerup')
  await thumb.dispatchEvent('click')
  await expect.poll(() => composer(page).inputValue()).toBe('👍')
  await page.clock.runFor(1_000)
  expect(await tones.count()).toBe(0)
  await touch(thumb, 'pointerdown')
  await page.clock.runFor(500)
  await tones.waitFor()
  await touch(thumb, 'pointerup')
  await thumb.dispatchEvent('click')
  expect(await tones.count()).toBe(1)
  expect(await composer(page).inputValue()).toBe('👍')
  await leavePaused()
})

/** The picker with the thumb visible and time stopped. */
async function openPaused(): Promise<Locator> {
  await page.clock.install()
  await page.reload()
  await openPicker(page)
  await search().fill('thumbsup')
  await offered(page, 'Thumbs Up').waitFor()
  await page.clock.pauseAt(Date.now() + 60_000)
  return offered(page, 'Thumbs Up')
}

async function leavePaused() {
  await page.clock.resume()
  await page.keyboard.press('Escape')
  await tones.waitFor({ state: 'detached' })
  await composer(page).fill('')
}

function touch(target: Locator, type: 'pointerdown' | 'pointerup') {
  return target.dispatchEvent(type, { pointerType: 'touch', pointerId: 7, isPrimary: true })
}
