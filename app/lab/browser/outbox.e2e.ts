import { afterAll, beforeAll, expect, test } from 'vitest'
import { composer, openChat, readWords, say } from './chat-steps.ts'
import { damagePushes } from './faults/damage-pushes.ts'
import { findProblems } from './find-problems.ts'
import { hasFocus } from './message-steps.ts'
import { chooseSetting, untilSettingStored } from './settings-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const within = { timeout: 30_000 }
const people = await startTwoPeople({ pushesByRequests: true })
const { ann, ben } = people
const { page } = ann
afterAll(() => people.close())

beforeAll(async () => {
  await openChat(page, 'ben')
  await openChat(ben.page, 'ann')
})

const row = (text: string) => page.getByRole('listitem').filter({ hasText: text })

test('P6: what waits and what was refused is reached from the list, and edited, sent again and cancelled there', async () => {
  await damagePushes(page, (document) => Object.assign(document, { status: 'read' }))
  await say(page, 'the tide is low')
  await page.getByText('Only the other person can confirm').first().waitFor()
  await damagePushes(page)
  await page.getByRole('link', { name: '1 not sent', exact: true }).click()
  await page.getByRole('heading', { name: 'Not sent · 1' }).waitFor()
  await page.goBack()
  await composer(page).waitFor()
  await ann.goOffline()
  await say(page, 'come at noon')
  await say(page, 'never mind')
  const waiting = page.getByRole('link', { name: '2 waiting · 1 not sent' })
  // On a phone the open chat says so, and leads there as the list does.
  await page.setViewportSize({ width: 390, height: 844 })
  await waiting.click()
  await expect.poll(() => page.title()).toBe('Outbox | Petrel')
  await page.goBack()
  await page.setViewportSize({ width: 1280, height: 800 })
  await waiting.click()
  await expect.poll(() => page.title()).toBe('Outbox | Petrel')
  await page.getByRole('region', { name: 'Sync status' }).getByText("You're offline.").waitFor()
  await row('the tide is low').getByText('Only the other person can confirm').waitFor()
  await row('come at noon').getByText("Sends when you're back online.").waitFor()
  await page.getByRole('button', { name: 'Try now' }).click()
  await page.getByText("You're still offline.").waitFor()
  expect(await findProblems(page)).toEqual([])

  await row('come at noon').getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Message text' }).fill('come at one')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => hasFocus(row('come at one').getByRole('link'))).toBe(true)
  await row('never mind').getByRole('button', { name: 'Cancel' }).click()
  await row('never mind').waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(row('come at one').getByRole('link'))).toBe(true)
  await page.getByRole('heading', { name: 'Waiting · 1' }).waitFor()
  await ann.goOnline()
  await page.getByRole('button', { name: 'Send all again' }).click()
  await page.getByText('Nothing is waiting. Everything was sent.').waitFor(within)
  await expect.poll(() => readWords(ben.page), within).toContain('the tide is low')
  await expect.poll(() => readWords(ben.page), within).toContain('come at one')
  expect(await readWords(ben.page)).not.toContain('never mind')
})

test('the settings beside the chats lead to what they name, and looks apply at once and after a reload', async () => {
  await page.goto('/chat')
  await page.getByRole('link', { name: 'Settings' }).click()
  await expect.poll(() => page.title()).toBe('Settings | Petrel')
  await page.getByRole('heading', { name: 'Settings', level: 2 }).waitFor()
  expect(await findProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
  await page.getByRole('dialog').getByText('Next chat').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Chats Theme' }).click()
  await chooseSetting(page, 'Wallpaper', 'Dots')
  await chooseSetting(page, 'Text size', 'Extra large')
  expect(await findProblems(page)).toEqual([])
  const looks = () =>
    page.evaluate(() => {
      const { wallpaper, textSize } = document.documentElement.dataset
      return [wallpaper, textSize]
    })
  await expect.poll(looks).toEqual(['dots', 'larger'])
  await untilSettingStored(page, 'wallpaper', 'dots')
  await untilSettingStored(page, 'textSize', 'larger')
  await page.reload()
  await expect.poll(looks).toEqual(['dots', 'larger'])
  await chooseSetting(page, 'Text size', 'Medium')
  await chooseSetting(page, 'The Enter key', 'Begins a new line')
  await untilSettingStored(page, 'enterSends', 'never')
  await page.goto('/settings/help')
  await page.getByText('New line', { exact: true }).waitFor()
  const keysOf = (does: string) =>
    page
      .locator('dl div')
      .filter({ has: page.getByText(does, { exact: true }) })
      .locator('dd')
  expect(await keysOf('Send').textContent()).toBe('Ctrl + Enter')
  expect(await keysOf('New line').textContent()).toBe('Enter')
  await page.goto('/chat')
  await openChat(page, 'ben')
  await composer(page).fill('one')
  await composer(page).press('Enter')
  await expect.poll(() => composer(page).inputValue()).toBe('one\n')
  await composer(page).fill('')
})

test('shortcuts work from every screen, and not while somebody writes a question mark', async () => {
  await page.goto('/settings/about')
  await page.getByText('Version 1.0.0').waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog').getByText('Show these shortcuts').waitFor()
  expect(await findProblems(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('Alt+ArrowDown')
  await composer(page).waitFor()
  await composer(page).press('?')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('Control+Alt+Shift+M')
  await page.getByRole('img', { name: 'Muted' }).waitFor()
  await page.keyboard.press('Control+Alt+Comma')
  await page.waitForURL('**/settings')
  // The address comes before the screen, which is loaded late.
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await page.keyboard.press('Control+Alt+N')
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('name')))
    .toBe('search')
})

test('a report is read before it goes, and says nothing of anybody', async () => {
  await page.goto('/settings/help')
  await page.getByRole('button', { name: 'Write a report' }).click()
  const report = page.getByRole('region', { name: 'Report', exact: true })
  const text = (await report.textContent()) ?? ''
  expect(text).toContain('Connection: ')
  expect(text).not.toContain('tide')
  expect(text).not.toContain('ben')
  expect(await findProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Save as a file' }).waitFor()
})
