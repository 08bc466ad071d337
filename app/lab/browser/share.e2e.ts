import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { openSignInForm, readSession, signIn, waitUntilKept } from './account-steps.ts'
import { composer, message, openChat, say } from './chat-steps.ts'
import { drawPhoto, sendDialog, share, writeText } from './file-steps.ts'
import { createLook } from './looks/look.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople({ keepsApp: true })
const { ann, ben } = people
afterAll(() => people.close())

const longName = `${'a-very-long-name-'.repeat(8)}.txt`

/** Makes the service worker's writes fail, as on a full disk. Returns the function that ends it. */
async function breakWorkersDisk(page: Page) {
  const [worker] = page.context().serviceWorkers()
  const found = must(worker, 'the service worker')
  await found.evaluate(() => {
    const { put } = IDBObjectStore.prototype
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('The disk is full', 'QuotaExceededError')
    }
    Object.assign(globalThis, {
      mendDisk: () => void Object.assign(IDBObjectStore.prototype, { put }),
    })
  })
  return () => found.evaluate('mendDisk()')
}

const offer = (page: Page) => page.getByRole('complementary', { name: 'Shared' })
const chats = (page: Page) => page.getByRole('list', { name: 'Chats' })

test('the manifest offers to share into the app, and shortcuts that lead somewhere', async () => {
  await waitUntilKept(ann)
  await openChat(ann.page, 'ben')
  await say(ann.page, 'hello')
  const devtools = await ann.page.context().newCDPSession(ann.page)
  const { data = '', errors } = await devtools.send('Page.getAppManifest')
  expect(errors).toEqual([])
  const manifest = JSON.parse(data)
  expect(manifest.share_target).toMatchObject({ action: '/share', method: 'POST' })
  expect(manifest.shortcuts.map(({ name }: { name: string }) => name)).toEqual([
    'New chat',
    'Starred messages',
  ])
  for (const { url, name } of manifest.shortcuts) {
    await ann.page.goto(url)
    const place = name === 'New chat' ? 'searchbox' : 'heading'
    await ann.page
      .getByRole(place, { name: /Search|Starred/ })
      .first()
      .waitFor()
  }
})

test('P1: a text that is shared offline becomes the draft of the chat that is chosen', async () => {
  const { page } = ann
  await page.reload()
  await waitUntilKept(ann)
  await ann.goOffline()
  const url = `https://harbour.example/${'a-long-way/'.repeat(12)}`
  const words = `The harbour\nlook at this\n${url}`
  await share(page, { title: 'The harbour', text: 'look at this', url })
  await page.getByRole('heading', { name: 'Share to…' }).waitFor()
  const look = await createLook(page)
  await look('sharing a text')
  await page.getByRole('searchbox', { name: 'Search people' }).fill('nobody at all')
  await page.getByText('No results found').waitFor()
  await page.getByRole('searchbox', { name: 'Search people' }).fill('BEN')
  await chats(page).getByRole('button', { name: 'ben' }).click()
  await composer(page).waitFor()
  await expect.poll(() => composer(page).inputValue()).toBe(words)
  await page.reload()
  await expect.poll(() => composer(page).inputValue()).toBe(words)
  await page.goto('/share')
  await page.getByText('Nothing is waiting to be shared.').waitFor()
  await ann.goOnline()
})

test('P1: files that are shared outlive reloads until they are sent, and are sent once', async () => {
  const { page } = ann
  await page.goto('/chat')
  await share(page, {
    text: 'from my pictures',
    files: [await drawPhoto(page), writeText('map.txt', 'a map'), writeText(longName, 'long')],
  })
  await page.getByRole('heading', { name: 'Share to…' }).waitFor()
  await page.reload()
  await page.getByText('map.txt').waitFor()
  const look = await createLook(page)
  await look('sharing files')
  await chats(page).getByRole('button', { name: 'ben' }).click()
  await sendDialog(page).getByText('harbour.jpg').waitFor()
  await page.reload()
  await sendDialog(page).getByRole('button', { name: 'Show map.txt' }).waitFor()
  // Set aside: it still waits, and says so.
  await sendDialog(page).getByRole('button', { name: 'Cancel' }).click()
  await page.goto('/chat')
  await offer(page).getByRole('button', { name: 'Share' }).click()
  await chats(page).getByRole('button', { name: 'ben' }).click()
  await expect
    .poll(() => sendDialog(page).getByRole('textbox').inputValue())
    .toBe('from my pictures')
  await sendDialog(page).getByRole('button', { name: 'Send' }).click()
  // A page left before that offers the remaining items once more.
  await sendDialog(page).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Open picture harbour.jpg' }).waitFor()
  await message(page, 'from my pictures').waitFor()
  await offer(page).waitFor({ state: 'detached' })
  await page.goto('/share')
  await page.getByText('Nothing is waiting to be shared.').waitFor()
  await openChat(ben.page, 'ann')
  await message(ben.page, 'from my pictures').waitFor()
  const map = ben.page.getByRole('button', { name: 'Download map.txt' })
  await expect.poll(() => map.count()).toBe(1)
})

test('what is shared is discarded when it is not wanted', async () => {
  const { page } = ann
  await page.goto('/chat')
  await share(page, { text: 'a mistake' })
  await page.getByText('a mistake').waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.waitForURL('**/chat')
  await share(page, { text: 'another' })
  await page.getByRole('button', { name: 'Back to chats' }).click()
  await offer(page).getByRole('button', { name: 'Discard' }).click()
  await offer(page).waitFor({ state: 'detached' })
  await page.goto('/share')
  await page.getByText('Nothing is waiting to be shared.').waitFor()
})

test('P6: what the device cannot keep is told in words', async () => {
  const { page } = ann
  await page.goto('/chat')
  const mend = await breakWorkersDisk(page)
  await share(page, { text: 'too much', files: [writeText('large.txt', 'large')] })
  await page.getByText("This device couldn't keep what you shared. Free up some space").waitFor()
  await mend()
  await page.getByText('Nothing is waiting to be shared.').waitFor()
})

test('P6: what no service worker takes is told in words, and can be shared again', async () => {
  const { page } = ann
  await page.goto('/chat')
  await page.evaluate(async () => {
    const { serviceWorker } = navigator
    // The reloaded page would register it again.
    serviceWorker.register = () => new Promise(() => undefined)
    await (await serviceWorker.ready).unregister()
  })
  await share(page, { text: 'too early', files: [writeText('early.txt', 'early')] })
  await page.getByText("Petrel wasn't ready to take what you shared. Share it again.").waitFor()
  const look = await createLook(page)
  await look('sharing too early')
  await waitUntilKept(ann)
  await share(page, { text: 'early enough' })
  await page.getByText('early enough').waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.waitForURL('**/chat')
})

test('P8: after an expired sign-in, what was shared is offered to the same person only', async () => {
  const { page } = ann
  const { token, userId } = await readSession(ann)
  await share(page, { text: 'for my eyes' })
  await page.getByText('for my eyes').waitFor()
  await page.goto('about:blank')
  const ended = await fetch(`${people.server.origin}/api/auth/logout`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId }),
  })
  expect(ended.ok).toBe(true)
  await page.goto('/chat')
  await page.waitForURL('**/login')
  await signIn({ ...ben, page })
  await page.goto('/share')
  await page.getByText('Nothing is waiting to be shared.').waitFor()
  await share(page, { text: 'from ben' })
  await page.getByText('from ben').waitFor()
  await logOut(page)
  await signIn(ann)
  await page.goto('/share')
  await page.getByText('for my eyes').waitFor()
  expect(await page.getByText('from ben').count()).toBe(0)
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.waitForURL('**/chat')
})

test('P1: what is shared while nobody is signed in waits until somebody is; signing out leaves none of it', async () => {
  const { page } = ann
  await share(page, { text: 'never sent' })
  await page.getByText('never sent').waitFor()
  await logOut(page)
  await ann.goOffline()
  await share(page, { text: 'before I sign in' })
  await page.waitForURL('**/login')
  await ann.goOnline()
  await page.reload()
  await signInSharing()
  await page.getByText('before I sign in').waitFor()
  expect(await page.getByText('never sent').count()).toBe(0)
  await chats(page).getByRole('button', { name: 'ben' }).click()
  await expect.poll(() => composer(page).inputValue()).toContain('before I sign in')
})

/** It asks about shared items as about drafts. */
async function logOut(page: Page) {
  await page.goto('/profile')
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.getByText('1 unsent share').waitFor()
  await page.getByRole('button', { name: /^Log out/ }).click()
  await page.waitForURL('**/login')
}

/** It leads to the shared items. */
async function signInSharing() {
  const { page, username, password } = ann
  await openSignInForm(page)
  await page.getByLabel('Phone number or Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Share to…' }).waitFor()
}
