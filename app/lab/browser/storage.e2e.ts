import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { message, openChat } from './chat-steps.ts'
import { attach, drawPhoto, sendDialog } from './file-steps.ts'
import { createLook } from './looks/look.ts'
import { setStarred } from './message-steps.ts'
import { chooseSetting, openSetting, settingRow, untilSettingStored } from './settings-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople({
  keepsApp: true,
  hasOwnBrowser: true,
})
const { ann, ben } = people
afterAll(() => people.close())

beforeAll(async () => {
  await openChat(ann.page, 'ben')
})

async function sendPhoto(page: Page, name: string, words: string) {
  await attach(page, 'Photos & Videos', [await drawPhoto(page, { name })])
  await sendDialog(page).getByRole('textbox').fill(words)
  await sendDialog(page).getByRole('button', { name: 'Send' }).click()
  await message(page, words).waitFor()
}

const pictures = 'Download pictures and voice messages'
const openStorage = (page: Page) => page.goto('/settings/storage')

test('a picture comes when it is asked for where the setting says so, over its blur, and by the setting at once', async () => {
  const { page } = ben
  await page.addInitScript(() => {
    const connection = Object.assign(new EventTarget(), { type: 'cellular' })
    Object.defineProperty(navigator, 'connection', { value: connection })
  })
  await openStorage(page)
  await chooseSetting(page, pictures, 'Never')
  await untilSettingStored(page, 'loadPictures', 'never')
  await page.reload()
  await settingRow(page, pictures).getByText('Never').waitFor()
  await sendPhoto(ann.page, 'first.jpg', 'the first')
  await page.goto('/chat')
  await openChat(page, 'ann')
  const asks = message(page, 'the first').getByRole('button', {
    name: /^Download, \d.*B: picture first\.jpg$/,
  })
  await asks.waitFor()
  await expect.poll(() => asks.locator('img[src^="data:image/"]').count()).toBe(1)
  const look = await createLook(page)
  await look('a picture that waits to be asked for')
  await asks.click()
  await page.getByRole('button', { name: 'Open picture first.jpg' }).waitFor()

  await openStorage(page)
  await chooseSetting(page, pictures, 'On Wi-Fi')
  await untilSettingStored(page, 'loadPictures', 'wifi')
  await sendPhoto(ann.page, 'second.jpg', 'the second')
  await page.goto('/chat')
  await openChat(page, 'ann')
  await message(page, 'the second')
    .getByRole('button', { name: /^Download, / })
    .waitFor()
  await page.evaluate(() => {
    const { connection } = navigator as Navigator & { connection: EventTarget & { type: string } }
    connection.type = 'wifi'
    connection.dispatchEvent(new Event('change'))
  })
  await page.getByRole('button', { name: 'Open picture second.jpg' }).waitFor()
})

test('where the browser does not tell of Wi-Fi, it is not offered', async () => {
  const { page } = ann
  await openStorage(page)
  const sheet = await openSetting(page, pictures)
  await sheet.getByRole('radio', { name: 'Always' }).waitFor()
  expect(await sheet.getByRole('radio', { name: 'On Wi-Fi' }).count()).toBe(0)
  await sheet.getByRole('button', { name: 'Done' }).click()
  await sheet.waitFor({ state: 'detached' })
})

test('P6: what media take is listed by chat, and clearing asks, says what stays, and leaves what is starred and unsent', async () => {
  const { page } = ann
  await page.goto('/chat')
  await openChat(page, 'ben')
  await setStarred(page, 'the first', true)
  await ann.goOffline()
  await sendPhoto(page, 'unsent.jpg', 'not sent yet')
  await openStorage(page)
  const list = page.getByRole('region', { name: 'Chats on this device' })
  await list.getByText(/· 3 files$/).waitFor()
  const look = await createLook(page)
  await look('what media take')
  await list.getByRole('button', { name: 'Clear media of ben' }).click()
  const question = page.getByRole('dialog', { name: 'Clear media of ben?' })
  await question.getByText('1 file will be removed from this device. Your messages stay').waitFor()
  await question.getByText('2 files unsent or starred will stay.').waitFor()
  await look('the question before clearing')
  await question.getByRole('button', { name: 'Clear' }).click()
  await list.getByText(/^Cleared \d.*B\.$/).waitFor()
  await list.getByText(/· 2 files$/).waitFor()
  await look('what media take after clearing')
  await ann.goOnline()
  await page.goto('/chat')
  await openChat(page, 'ben')
  await message(ben.page, 'not sent yet').waitFor()
  await setStarred(page, 'the first', false)
})

test('pictures that were cleared come back on request only, also in the gallery; one that comes later loads by itself', async () => {
  const { page } = ann
  const second = message(page, 'the second')
  const asks = second.getByRole('button', { name: /^Download, \d.*B: picture second\.jpg$/ })
  await asks.waitFor()
  await page.reload()
  await sendPhoto(ben.page, 'later.jpg', 'one more')
  await page.getByRole('button', { name: 'Open picture later.jpg' }).click()
  const gallery = page.getByRole('dialog')
  await gallery.getByRole('button', { name: 'Previous' }).click()
  await page.getByRole('dialog', { name: 'unsent.jpg' }).getByRole('img').waitFor()
  await gallery.getByRole('button', { name: 'Previous' }).click()
  const opened = page.getByRole('dialog', { name: 'second.jpg' })
  const arriving = createDeferred()
  await page.route('**/api/media/**', async (route) => {
    await arriving.promise
    await route.continue()
  })
  await opened.getByRole('button', { name: /^Load / }).click()
  await opened.getByText('Loading…', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  // The message says so too: it doesn't offer what is under way.
  await second.getByRole('button', { name: 'Loading picture second.jpg' }).waitFor()
  arriving.resolve()
  await page.getByRole('button', { name: 'Open picture second.jpg' }).waitFor()
  await page.unroute('**/api/media/**')
  await page.reload()
  await page.getByRole('button', { name: 'Open picture second.jpg' }).waitFor()

  await openStorage(page)
  await page.getByRole('button', { name: 'Clear all media' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click()
  await page.getByText(/^Cleared \d.*B\.$/).waitFor()
  await page.goto('/chat')
  await openChat(page, 'ben')
  for (const words of ['the first', 'the second', 'not sent yet', 'one more']) {
    await message(page, words)
      .getByRole('button', { name: /^Download, / })
      .waitFor()
  }
  // A list that has just opened may still move under a pointer.
  await asks.press('Enter')
  await page.getByRole('button', { name: 'Open picture second.jpg' }).waitFor()
})
