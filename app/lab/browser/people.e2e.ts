import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { readSession } from './account-steps.ts'
import { chatRow, composer, openChat, readTicks, readWords, say } from './chat-steps.ts'
import { hasFocus } from './message-steps.ts'
import type { BrowserPerson } from './person.ts'
import { startTwoPeople } from './start-two-people.ts'

const icons = fileURLToPath(new URL('../../../public/icons/', import.meta.url))
const people = await startTwoPeople()
const { ann, ben, server } = people
const { page } = ann
afterAll(() => people.close())

const panel = page.getByRole('region', { name: 'Contact info' })
const action = (name: string | RegExp) => panel.getByRole('button', { name })
const openPanel = () => page.getByRole('button', { name: /^Contact info: / }).click()
const confirm = (name: string) => page.getByRole('dialog').getByRole('button', { name }).click()
const avatar = () => chatRow(page, 'ben').locator('img')

async function callAs(
  person: BrowserPerson,
  method: string,
  path: string,
  body?: BodyInit,
): Promise<Response> {
  const { token } = await readSession(person)
  const isJson = typeof body === 'string'
  return await fetch(`${server.origin}/api${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(isJson && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
}

const asBen = (method: string, path: string, body?: BodyInit) => callAs(ben, method, path, body)

async function countBlocked(): Promise<number> {
  return ((await (await callAs(ann, 'GET', '/users/blocked')).json()) as unknown[]).length
}

async function choosePicture(file: string) {
  const form = new FormData()
  form.set('profilePicture', new Blob([new Uint8Array(await readFile(icons + file))]), file)
  expect((await asBen('PUT', '/users/profile/picture', form)).status).toBe(200)
}

test('P10: the panel opens beside the chat, on a phone in its place, and Back closes it, also offline', async () => {
  await openChat(page, 'ben')
  await say(page, 'hello Ben')
  await openPanel()
  await action('Search in this chat').waitFor()
  // Nobody wrote it.
  expect(await panel.getByText('Hey there! I am using WhatsApp').count()).toBe(0)
  await composer(page).waitFor()
  // With room for two, it takes the list's place: nothing that can be reached lies under it.
  await page.setViewportSize({ width: 1100, height: 800 })
  await chatRow(page, 'ben').waitFor({ state: 'hidden' })
  await composer(page).waitFor()
  const [send, info] = [composer(page).boundingBox(), panel.boundingBox()]
  const [{ x = 0, width = 0 }, { x: left = 0 }] = [(await send) ?? {}, (await info) ?? {}]
  expect(x + width).toBeLessThanOrEqual(left)
  await page.setViewportSize({ width: 1280, height: 800 })
  await chatRow(page, 'ben').waitFor()
  await page.goBack()
  await panel.waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 390, height: 844 })
  await ann.goOffline()
  await openPanel()
  await action('Search in this chat').waitFor()
  await composer(page).waitFor({ state: 'detached' })
  await page.goBack()
  await composer(page).waitFor()
  await ann.goOnline()
  await openPanel()
  await action('Search in this chat').click()
  await page.getByRole('searchbox', { name: 'Search in this chat' }).waitFor()
  await page.getByRole('button', { name: 'Close search' }).click()
  // It removes its entry from the browser's history a moment later, which would lead back over what comes next.
  await expect.poll(() => page.evaluate('history.state?.backLayers ?? 0')).toBe(0)
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('whoever is blocked offline is blocked at once, and nothing they write arrives until they are unblocked', async () => {
  await openPanel()
  await ann.goOffline()
  await action('Report ben').click()
  await page.getByRole('dialog').getByLabel('Reason').fill('  spam  ')
  await confirm('Report')
  await page.getByText('Reason must be at least 5 characters long').waitFor()
  await page.getByRole('dialog').getByLabel('Reason').fill('sends too much')
  await confirm('Report')
  const words = page.getByText('You blocked ben. Unblock to send messages.')
  await words.waitFor()
  await page.getByText('Waiting for a connection.').waitFor()
  expect(await composer(page).count()).toBe(0)
  await ann.goOnline()
  await page.getByText('Waiting for a connection.').waitFor({ state: 'detached' })
  // The words only say that there is a connection: the request follows.
  await expect.poll(countBlocked).toBe(1)
  await openChat(ben.page, 'ann')
  await say(ben.page, 'do you hear me?')
  await expect.poll(() => readTicks(ben.page, 'do you hear me?')).toBe('Sent')
  await panel.getByText('online').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Unblock', exact: true }).click()
  await composer(page).waitFor()
  // The device may show him online as it knew him before: only the server says that he is let in.
  await expect.poll(countBlocked).toBe(0)
  await panel.getByText('online').waitFor()
  await say(ben.page, 'and now?')
  await expect.poll(() => readWords(page)).toEqual(['hello Ben', 'and now?'])
})

test('a picture is shown everywhere once it is here, a newer one replaces it, and without the token there is none', async () => {
  expect(await avatar().count()).toBe(0)
  await choosePicture('icon-192.png')
  await page.reload()
  await avatar().waitFor()
  await panel.locator('img').waitFor()
  await action('Show the picture larger').click()
  await page.getByRole('dialog', { name: 'ben' }).getByRole('img').waitFor()
  await confirm('Close')
  const first = await avatar().getAttribute('src')
  const { profilePicture } = (await (await asBen('GET', '/users/me')).json()) as {
    profilePicture: string
  }
  expect((await fetch(server.origin + profilePicture)).status).toBe(401)
  await choosePicture('icon-512.png')
  await page.reload()
  await expect
    .poll(() => avatar().evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBe(512)
  expect(await avatar().getAttribute('src')).not.toBe(first)
})

test('a chat is cleared after a question, and the keyboard stays in the panel', async () => {
  await action('Clear chat').press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).press('Enter')
  await action('Clear chat').waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(panel.getByRole('heading', { name: 'Contact info' }))).toBe(true)
  await say(page, 'from the start')
})

test('somebody who deletes the account is a deleted user in the list, the header and the panel, and nothing offers what cannot work', async () => {
  const { password } = ben
  const gone = await asBen('DELETE', '/users/me', JSON.stringify({ password }))
  expect(gone.status).toBe(200)
  await chatRow(page, 'Deleted user').waitFor()
  await page.locator('header').getByRole('heading', { level: 2, name: 'Deleted user' }).waitFor()
  await panel.getByText('Deleted user', { exact: true }).waitFor()
  await page.getByText("This account was deleted. You can't send messages here.").waitFor()
  expect(await composer(page).count()).toBe(0)
  expect(await action(/^(Block|Report|Mute)/).count()).toBe(0)
  expect(await chatRow(page, 'Deleted user').locator('img').count()).toBe(0)
  await expect.poll(() => page.getByText('online', { exact: true }).count()).toBe(0)
  const chat = page.url()
  await action('Delete chat').click()
  await page.getByText('Are you sure you want to delete this conversation?').waitFor()
  await confirm('Delete')
  await page.waitForURL('**/chat')
  await page.goto(chat)
  await page.getByText('No messages yet').waitFor()
  await page.getByText("This account was deleted. You can't send messages here.").waitFor()
  expect(await page.getByText('Start the conversation').count()).toBe(0)
  expect(ann.problems).toEqual([])
})
