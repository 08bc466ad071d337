import { afterAll, beforeAll, expect, test } from 'vitest'
import { composer, openChat, readTicks, say } from './chat-steps.ts'
import { breakDisk } from './faults/break-disk.ts'
import { damagePushes } from './faults/damage-pushes.ts'
import {
  chooseOn,
  deleteMessage,
  hasFocus,
  ownWords,
  seeBriefly,
  select,
  selectionBar,
} from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople({
  pushesByRequests: true,
  permissions: ['clipboard-read', 'clipboard-write'],
})
const { page } = people.ann
const said = (words: string) => page.getByRole('status').getByText(words, { exact: true })

beforeAll(() => openChat(page, 'ben'))
afterAll(() => people.close())

test('P6: what could not be sent is said aloud, with its reason', async () => {
  await damagePushes(page, (document) => Object.assign(document, { status: 'read' }))
  await say(page, 'the tide is low')
  await said(
    'Not sent: the tide is low. Only the other person can confirm that a message was delivered or read.',
  ).waitFor({ state: 'attached' })
  await damagePushes(page)
})

test('P6: what the disk refuses is said, and can be done again', async () => {
  await say(page, 'stays for now')
  // Nothing else is left to write.
  await expect.poll(() => readTicks(page, 'stays for now')).toBe('Delivered')
  const mendDisk = await breakDisk(page)
  await deleteMessage(page, 'stays for now')
  await page.getByRole('dialog', { name: 'Failed to delete message. Please' }).waitFor()
  await page.getByRole('button', { name: 'OK' }).click()
  await seeBriefly(
    said('Failed to star message. Please try again.'),
    chooseOn(page, 'stays for now', 'Star'),
  )
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Mute' }).click()
  await page.getByRole('menuitem', { name: 'Always' }).click()
  await page.getByRole('dialog', { name: 'Failed to change chat. Please try again.' }).waitFor()
  await page.getByRole('button', { name: 'OK' }).click()
  await page
    .getByRole('list', { name: 'Conversations' })
    .getByRole('link')
    .first()
    .click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Archive' }).click()
  await page.getByRole('dialog', { name: 'Failed to change chat. Please try again.' }).waitFor()
  await page.getByRole('button', { name: 'OK' }).click()
  await mendDisk()
  await deleteMessage(page, 'stays for now')
  await ownWords(page, 'stays for now').waitFor({ state: 'detached' })
})

test('what was copied is said, from the menu and from the selection', async () => {
  await say(page, 'a word to keep')
  await seeBriefly(said('Copied'), chooseOn(page, 'a word to keep', 'Copy'))
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('a word to keep')
  await said('Copied').waitFor({ state: 'detached' })
  await select(page, 'a word to keep')
  await seeBriefly(said('Copied'), selectionBar(page).getByRole('button', { name: 'Copy' }).click())
  await said('Copied').waitFor({ state: 'detached' })
})

test('where the clipboard is not to be had, the old command copies, and the focus stays', async () => {
  await say(page, 'by the old way')
  await page.evaluate(() => {
    Object.assign(navigator.clipboard, { writeText: () => Promise.reject(new Error('Denied')) })
  })
  await ownWords(page, 'by the old way').focus()
  await page.keyboard.press('Enter')
  await seeBriefly(said('Copied'), page.getByRole('menuitem', { name: 'Copy' }).press('Enter'))
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('by the old way')
  await expect.poll(() => hasFocus(ownWords(page, 'by the old way'))).toBe(true)
  expect(await page.locator('body > textarea').count()).toBe(0)
  expect(await composer(page).getAttribute('enterkeyhint')).toBe('send')
})
