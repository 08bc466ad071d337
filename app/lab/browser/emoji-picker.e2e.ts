import { afterAll, expect, test } from 'vitest'
import { composer, message, openChat, readWords, untilSent } from './chat-steps.ts'
import { offered, openPicker, pickEmoji, picker } from './emoji-steps.ts'
import { findProblems } from './find-problems.ts'
import { chooseSetting, openSetting, untilSettingStored } from './settings-steps.ts'
import { startAnnAlone } from './start-two-people.ts'

const people = await startAnnAlone({ keepsApp: true })
const { ann } = people
const { page } = ann
const hosts = new Set<string>()
const sheets: string[] = []
page.on('request', (request) => {
  const { host, pathname } = new URL(request.url())
  hosts.add(host)
  if (pathname.startsWith('/emoji/')) sheets.push(pathname)
})
afterAll(() => people.close())

const search = () => picker(page).getByRole('combobox', { name: 'Search emoji' })
const close = async () => {
  await page.keyboard.press('Escape')
  await picker(page).waitFor({ state: 'detached' })
}

test('a picked emoji stands where the cursor was, and goes with the message', async () => {
  await openChat(page, 'ben')
  await composer(page).fill('well  done')
  await composer(page).evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(5, 5))
  await openPicker(page)
  const box = await picker(page).boundingBox()
  expect([box?.width, box?.height]).toEqual([350, 400])
  await pickEmoji(page, 'Grinning Face')
  await expect.poll(() => composer(page).inputValue()).toBe('well 😀 done')
  await close()
  await expect
    .poll(() => composer(page).evaluate((field) => field === document.activeElement))
    .toBe(true)
  await page.keyboard.press('Control+z')
  await expect.poll(() => composer(page).inputValue()).toBe('well  done')
  await page.keyboard.press('Control+Shift+z')
  await expect.poll(() => composer(page).inputValue()).toBe('well 😀 done')
  await page.keyboard.press('Enter')
  await expect.poll(() => readWords(page)).toEqual(['well 😀 done'])
})

test('it says what the specification says, and axe finds nothing serious in it', async () => {
  await openPicker(page)
  expect(await search().getAttribute('placeholder')).toBe('Search')
  await picker(page).getByText("What's your mood?").waitFor()
  const categories = picker(page).getByRole('navigation').getByRole('button')
  expect(await categories.evaluateAll((all) => all.map((one) => one.ariaLabel))).toEqual([
    'Frequently Used',
    'Smileys & People',
    'Animals & Nature',
    'Food & Drink',
    'Travel & Places',
    'Activities',
    'Objects',
    'Symbols',
    'Flags',
  ])
  expect(await findProblems(page)).toEqual([])
  await search().fill('no such thing')
  await picker(page).getByText('No results found').waitFor()
  expect(await findProblems(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect.poll(() => search().inputValue()).toBe('')
  await close()
})

test('a category is one click away, and the one in sight is marked', async () => {
  await openPicker(page)
  await picker(page).getByRole('button', { name: 'Food & Drink' }).click()
  await offered(page, 'Grapes').waitFor()
  await expect
    .poll(() =>
      picker(page).getByRole('button', { name: 'Food & Drink' }).getAttribute('aria-current'),
    )
    .toBe('true')
  expect(await offered(page, 'Grinning Face').count()).toBeLessThan(2)
  await close()
})

test('by the keyboard alone: search, go, pick, leave', async () => {
  await composer(page).fill('')
  await openPicker(page)
  await page.keyboard.type('  HEART ')
  // What was found for the first letters is still shown until then.
  const first = picker(page).getByRole('option').first()
  await expect.poll(() => first.getAttribute('aria-label')).toBe('Red Heart')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect.poll(() => composer(page).inputValue()).toBe('❤️')
  await search().fill('')
  // What was found is gone: the keys would mark something of it.
  await picker(page).getByRole('navigation').getByRole('button').first().waitFor()
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
  const marked = await search().getAttribute('aria-activedescendant')
  const cell = page.locator(`#${marked}`)
  await expect.poll(() => cell.getAttribute('aria-selected')).toBe('true')
  const name = await cell.getAttribute('aria-label')
  await picker(page).locator('small').waitFor()
  await page.keyboard.press('Enter')
  expect(name).not.toBeNull()
  expect([...(await composer(page).inputValue())].length).toBeGreaterThan(2)
  await close()
  await composer(page).fill('')
})

test('a press of half a second, or Alt and the down arrow, opens the skin tones of one emoji', async () => {
  await openPicker(page)
  await search().fill('thumbsup')
  await offered(page, 'Thumbs Up').hover()
  await page.mouse.down()
  const tones = picker(page).getByRole('toolbar', { name: 'Skin tones of Thumbs Up' })
  await tones.waitFor()
  await page.mouse.up()
  expect(await tones.getByRole('button').count()).toBe(6)
  expect(await composer(page).inputValue()).toBe('')
  expect(await findProblems(page)).toEqual([])
  await page.keyboard.press('Escape')
  await tones.waitFor({ state: 'detached' })
  await page.keyboard.press('Alt+ArrowDown')
  await tones.waitFor()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect.poll(() => composer(page).inputValue()).toBe('👍🏼')
  await page.keyboard.press('Escape')
  await close()
  await composer(page).fill('')
})

test('a skin tone for all is kept', async () => {
  await openPicker(page)
  await picker(page).getByRole('button', { name: 'Skin tone' }).click()
  await picker(page).getByRole('radio', { name: 'Dark', exact: true }).check()
  await page.reload()
  await openPicker(page)
  await pickEmoji(page, 'Waving Hand')
  await expect.poll(() => composer(page).inputValue()).toBe('👋🏿')
  await picker(page).getByRole('button', { name: 'Skin tone' }).click()
  await picker(page).getByRole('radio', { name: 'Default' }).check()
  await close()
  await composer(page).fill('')
})

test('what was picked is kept in this browser with its code, the plain code and how often', async () => {
  const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('recentEmojis') ?? ''))
  expect(kept).toContainEqual({ id: '1f44d-1f3fc', original: '1f44d', count: 1 })
  expect(kept[0]).toEqual({ id: '1f44b-1f3ff', original: '1f44b', count: 1 })
})

test('a short name is completed, and becomes an emoji at the second colon', async () => {
  const list = page.getByRole('listbox', { name: 'Emoji' })
  await composer(page).pressSequentially('see :tad')
  await list.getByRole('option', { name: ':tada:' }).waitFor()
  expect(await findProblems(page)).toEqual([])
  await page.keyboard.press('Enter')
  await expect.poll(() => composer(page).inputValue()).toBe('see 🎉')
  await page.keyboard.press('Control+z')
  await expect.poll(() => composer(page).inputValue()).toBe('see :tad')
  await page.keyboard.press('Control+Shift+z')
  await expect.poll(() => composer(page).inputValue()).toBe('see 🎉')
  await composer(page).pressSequentially(' :heart:')
  await expect.poll(() => composer(page).inputValue()).toBe('see 🎉 ❤️')
  await composer(page).pressSequentially(' :smi')
  await list.waitFor()
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await composer(page).pressSequentially(' at 10:30')
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await readWords(page)).at(-1)).toBe('see 🎉 ❤️ :smi at 10:30')
})

test('one to three emoji alone are drawn large, four are not', async () => {
  const heights: (number | undefined)[] = []
  for (const words of ['🌧️', '🌧️🌧️', '🌧️🌧️🌧️', '🌧️🌧️🌧️🌧️']) {
    await composer(page).fill(words)
    await page.keyboard.press('Enter')
    const shown = message(page, words).getByText(words, { exact: true })
    await shown.waitFor()
    // The next words begin with these.
    await untilSent(page)
    heights.push(await shown.evaluate((text) => Number.parseFloat(getComputedStyle(text).fontSize)))
  }
  expect(heights).toEqual([56, 56, 56, 15])
})

test('P10: it opens offline, also after a reload, with the pictures of the style that was chosen', async () => {
  await page.evaluate(() => navigator.serviceWorker.ready)
  expect(sheets).toEqual([])
  await page.goto('/settings/chats')
  const sheet = await openSetting(page, 'Emoji style')
  await expect.poll(() => sheet.getByRole('radio', { name: 'Apple' }).isDisabled()).toBe(true)
  await sheet.getByRole('radio', { name: 'Google' }).click()
  await untilSettingStored(page, 'emojiStyle', 'google')
  await page.goto('/chat')
  await openChat(page, 'ben')
  await openPicker(page)
  const pictures = picker(page).locator('[style*="google"]')
  await pictures.first().waitFor()
  expect(new Set(sheets)).toEqual(new Set(['/emoji/google-15.0.1.png']))
  await ann.goOffline()
  await page.reload()
  await openPicker(page)
  await pictures.first().waitFor()
  await pickEmoji(page, 'Umbrella')
  await close()
  await expect.poll(() => composer(page).inputValue()).toBe('☂️')
  await ann.goOnline()
  await composer(page).fill('')
})

test('pictures that cannot be loaded are hidden: the device’s own font draws', async () => {
  await page.goto('/settings/chats')
  await chooseSetting(page, 'Emoji style', 'Twitter')
  await untilSettingStored(page, 'emojiStyle', 'twitter')
  await page.goto('/chat')
  await ann.goOffline()
  const lines: string[] = []
  page.on('console', (line) => line.text().startsWith('The emoji') && lines.push(line.text()))
  await openChat(page, 'ben')
  await openPicker(page)
  await expect.poll(() => lines).toHaveLength(1)
  expect(await picker(page).locator('[style*="background-image"]').count()).toBe(0)
  await offered(page, 'Grinning Face').first().getByText('😀').waitFor()
  await close()
  await ann.goOnline()
})

test('nothing was asked of any other host', () => {
  expect([...hosts]).toEqual([new URL(page.url()).host])
})
