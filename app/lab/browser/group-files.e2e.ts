import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitUntilKept } from './account-steps.ts'
import { chatRow, composer, message, openChat, readTicks, say } from './chat-steps.ts'
import { attach, drawPhoto, sendDialog, share, writeText } from './file-steps.ts'
import { groupHeading, makeGroup } from './group-steps.ts'
import { registerWithKeys } from './key-steps.ts'
import { createLook } from './looks/look.ts'
import { chooseOn, forwardDialog } from './message-steps.ts'
import { createPerson } from './person.ts'
import { startBuiltServer } from './start-built-server.ts'

const server = await startBuiltServer({ env: { GROUPS: 'on', END_TO_END: 'on' } })
const [ann, ben] = await Promise.all([
  createPerson(server, 'ann', {
    keepsApp: true,
    hasWholeBrowser: true,
    permissions: ['microphone'],
  }),
  createPerson(server, 'ben'),
])

beforeAll(async () => {
  await registerWithKeys(ann)
  await registerWithKeys(ben)
})

afterAll(async () => {
  await Promise.all([ann.close(), ben.close()])
  await server.close()
})

const dialog = (on: Page, name: string) => on.getByRole('dialog', { name })
const picture = (on: Page, text: string) =>
  message(on, text).getByRole('button', { name: /^Open picture / })
const readWidth = (on: Page, text: string) =>
  picture(on, text)
    .locator('img')
    .last()
    .evaluate((image) => (image as HTMLImageElement).naturalWidth)
const offer = (on: Page, name: string) =>
  on.getByRole('list', { name: 'Chats' }).getByRole('button', { name, exact: true })

test('P1 P13: a picture and a file sent offline to a group reach its members, who see and open them', async () => {
  const { page } = ann
  await makeGroup(page, 'Walks', ['ben'])
  await say(page, 'look at this')
  await chatRow(ben.page, 'Walks').click()
  await message(ben.page, 'look at this').waitFor()
  expect(await page.getByText(/^Not encrypted/).count()).toBe(0)
  await waitUntilKept(ann)
  await ann.goOffline()
  await attach(page, 'Photos & Videos', [await drawPhoto(page)])
  await page.keyboard.type('the harbour')
  await sendDialog(page).getByRole('button', { name: 'Send' }).click()
  await message(page, 'the harbour').getByText('Waiting to upload').waitFor()
  await attach(page, 'Document', [writeText('map.txt', 'a map')])
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Download map.txt' }).waitFor()
  await say(page, 'the way there')
  await page.reload()
  await expect.poll(() => readWidth(page, 'the harbour')).toBe(800)
  await ann.goOnline()
  await message(ben.page, 'the way there').waitFor()
  await expect.poll(() => readWidth(ben.page, 'the harbour')).toBe(800)
  await expect.poll(() => readTicks(page, 'the harbour')).toBe('Read')
  const downloading = ben.page.waitForEvent('download')
  await ben.page.getByRole('button', { name: 'Download map.txt' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('map.txt')
  expect(await readFile(await download.path(), 'utf8')).toBe('a map')
  await picture(ben.page, 'the harbour').click()
  const viewer = dialog(ben.page, 'harbour.jpg')
  await viewer.getByText(/^ann · /).waitFor()
  await ben.page.keyboard.press('Escape')
  await viewer.waitFor({ state: 'detached' })
})

test('the list says who sent a picture, and the group’s media page has it', async () => {
  await attach(ben.page, 'Photos & Videos', [await drawPhoto(ben.page, { name: 'pier.jpg' })])
  await sendDialog(ben.page).getByRole('button', { name: 'Send' }).click()
  await expect.poll(() => chatRow(ann.page, 'Walks').textContent()).toContain('ben:Photo')
  const look = await createLook(ann.page)
  await look('pictures in a group')
  await ann.page.getByRole('button', { name: /^Group info: / }).click()
  await ann.page.getByRole('button', { name: 'Media, files and links' }).click()
  await expect
    .poll(() => ann.page.getByRole('button', { name: /harbour\.jpg|pier\.jpg/ }).count())
    .toBe(2)
  await look('the media of a group')
  await ann.page.goBack()
  await ann.page.goBack()
  await composer(ann.page).waitFor()
})

test('a voice message is recorded for a group, and a member hears it', async () => {
  const { page } = ann
  await page.getByRole('button', { name: 'Record voice message' }).focus()
  await page.keyboard.press('Enter')
  const panel = page.getByRole('group', { name: 'Voice message' })
  await expect.poll(() => panel.textContent()).toMatch(/0:0[1-9]/)
  await panel.getByRole('button', { name: 'Stop', exact: true }).click()
  await panel.getByRole('button', { name: 'Send', exact: true }).click()
  await panel.waitFor({ state: 'detached' })
  const voice = ben.page
    .getByRole('article')
    .filter({ has: ben.page.getByRole('slider', { name: 'Position' }) })
  await voice.getByRole('button', { name: 'Play' }).waitFor()
  await expect.poll(() => chatRow(ben.page, 'Walks').textContent()).toMatch(/ann:.*Voice message/)
})

test('a message and a picture are forwarded into a group, and from there to a person', async () => {
  const { page } = ben
  await openChat(page, 'ann')
  await say(page, 'only for you')
  await chooseOn(page, 'only for you', 'Forward')
  const form = forwardDialog(page)
  await form.getByRole('checkbox', { name: 'Walks' }).check()
  const look = await createLook(page)
  await look('forwarding into a group')
  await form.getByRole('button', { name: 'Forward' }).click()
  await groupHeading(page, 'Walks').waitFor()
  await message(ann.page, 'only for you').waitFor()
  await chooseOn(page, 'the harbour', 'Forward')
  await form.getByRole('checkbox', { name: 'ann' }).check()
  await form.getByRole('button', { name: 'Forward' }).click()
  await groupHeading(page, 'ann').waitFor()
  await openChat(ann.page, 'ben')
  await expect.poll(() => readWidth(ann.page, 'the harbour')).toBe(800)
})

test('what another app shares is sent to a group', async () => {
  const { page } = ann
  await page.goto('/chat')
  await share(page, { text: 'from my notes', files: [writeText('notes.txt', 'bring boots')] })
  await page.getByRole('heading', { name: 'Share to…' }).waitFor()
  await offer(page, 'Walks').click()
  await sendDialog(page).getByRole('button', { name: 'Send' }).click()
  await openChat(ben.page, 'Walks')
  await message(ben.page, 'from my notes')
    .getByRole('button', { name: 'Download notes.txt' })
    .waitFor()
  expect([...ann.problems, ...ben.problems]).toEqual([])
})
