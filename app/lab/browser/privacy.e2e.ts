import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { readSession, signIn } from './account-steps.ts'
import { openChat, readPresence, readTicks, say } from './chat-steps.ts'
import { findProblems } from './find-problems.ts'
import { createPerson } from './person.ts'
import { chooseSetting, settingRow } from './settings-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

// What fades in has too little contrast meanwhile.
const people = await startTwoPeople()
const { ann, ben, server } = people
const laptop = await createPerson(server, 'ann')
afterAll(async () => {
  await laptop.close()
  await people.close()
})

const shows = (page: Page, name: string, value: string) =>
  settingRow(page, name).getByText(value).waitFor()
const receipts = (page: Page) => page.getByRole('switch', { name: 'Read receipts' })
const online = "Who can see when you're online"
const firstMessages = 'Who can message you first'

test('who hides that they are online is gone for strangers at once, and the choice is on every device', async () => {
  await laptop.page.goto('/login')
  await signIn(laptop)
  await laptop.page.goto('/settings/privacy')
  await openChat(ben.page, 'ann')
  await expect.poll(() => readPresence(ben.page)).toBe('online')
  await ann.page.goto('/settings/privacy')
  await chooseSetting(ann.page, online, 'People you have a chat with')
  await shows(laptop.page, online, 'People you have')
  await expect.poll(() => readPresence(ben.page)).not.toBe('online')
  expect(await findProblems(ann.page)).toEqual([])
  await chooseSetting(laptop.page, online, 'Everybody')
  await expect.poll(() => readPresence(ben.page)).toBe('online')
  await shows(ann.page, online, 'Everybody')
})

test('P6: a first message that is not taken comes back with words', async () => {
  await chooseSetting(ann.page, firstMessages, 'Only people')
  await shows(laptop.page, firstMessages, 'Only people')
  await say(ben.page, 'buy this')
  await expect.poll(() => readTicks(ben.page, 'buy this')).toBe('Not sent')
  await ben.page.getByText('this person only gets messages from people').first().waitFor()
})

test('what is chosen offline applies there, says that it waits, and follows; so does an unblock', async () => {
  const { page } = ann
  await ann.goOffline()
  await receipts(page).click()
  await page.getByText("Saved on this device. It applies when you're back online.").waitFor()
  expect(await receipts(laptop.page).isChecked()).toBe(true)
  await ann.goOnline()
  await expect.poll(() => receipts(laptop.page).isChecked()).toBe(false)

  await page.getByText("You haven't blocked anyone.").waitFor()
  await block(ben.username)
  await page.reload()
  await page.getByRole('button', { name: 'Unblock ben' }).waitFor()
  await ann.goOffline()
  await page.getByRole('button', { name: 'Unblock ben' }).click()
  await page.getByText("You haven't blocked anyone.").waitFor()
  expect(await findProblems(page)).toEqual([])
  await ann.goOnline()
  await expect.poll(readBlocked).toEqual([])
})

async function callAsAnn(method: string, path: string, body?: object) {
  const { token } = await readSession(ann)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${server.origin}/api${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  return await answer.json()
}

const readBlocked = () => callAsAnn('GET', '/users/blocked')

async function block(username: string) {
  const [person] = await callAsAnn('GET', `/users/search/${username}`)
  await callAsAnn('PUT', `/users/${person._id}/block`, { blocked: true })
}
