import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerAccount } from '../server/server-accounts.ts'
import { openSignInForm, registerPerson } from './account-steps.ts'
import { chatRow, message, readTicks, say } from './chat-steps.ts'
import { drawPhoto } from './file-steps.ts'
import { groupHeading, makeGroup } from './group-steps.ts'
import { createLook } from './looks/look.ts'
import { createPerson } from './person.ts'
import { chooseSetting, settingRow } from './settings-steps.ts'
import { startBuiltServer } from './start-built-server.ts'

const server = await startBuiltServer({ env: { GROUPS: 'on' } })
const [ann, ben, dora] = await Promise.all([
  createPerson(server, 'ann', { permissions: ['clipboard-read', 'clipboard-write'] }),
  createPerson(server, 'ben'),
  createPerson(server, 'dora'),
])
const { page } = ann
const look = await createLook(page)
const lookAtBen = await createLook(ben.page)

beforeAll(async () => {
  await registerPerson(ann)
  for (const name of ['ben', 'cem']) await registerAccount(server.origin, name)
  await registerPerson(dora)
})

afterAll(async () => {
  await Promise.all([ann.close(), ben.close(), dora.close()])
  await server.close()
})

const dialog = (on: Page, name: string) => on.getByRole('dialog', { name })
const panel = (on: Page) => on.getByRole('region', { name: 'Group info' })
const row = (on: Page, name: string | RegExp) => panel(on).getByRole('button', { name })
const choice = (on: Page, name: string) => on.getByRole('menuitem', { name })
const line = (on: Page, words: string) => on.getByRole('log').getByText(words, { exact: true })
const link = dialog(page, 'Invite link')
const press = (name: string) => link.getByRole('button', { name }).click()

/** The path of the link that the dialog shows. */
async function readLink(): Promise<string> {
  const text = await link.getByText('/join/').textContent()
  return new URL(text ?? '').pathname
}

/** Paths of the links, by what they are for. */
const links = { open: '', approved: '' }

test('an admin makes a link with an end and a limit, which is shown as a code and copied', async () => {
  await makeGroup(page, 'Walks', ['cem'], { picture: await drawPhoto(page) })
  await line(page, 'You created the group “Walks”').waitFor()
  await page.getByRole('button', { name: /^Group info: / }).click()
  await row(page, /^Invite link/).click()
  await link.getByText('Whoever has the link can join the group.').waitFor()
  await look('a link to make')
  await link.getByLabel('Ends').selectOption('After a week')
  await link.getByLabel('For').selectOption('5 people')
  await press('Make link')
  await link.getByRole('img', { name: "QR code of the group's invite link" }).waitFor()
  await link
    .getByText(/^Whoever has this link can join\. It ends on .+ Used 0 of 5 times\.$/)
    .waitFor()
  await look("a group's link")
  await press('Copy link')
  await link.getByText('Link copied').waitFor()
  links.open = await readLink()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(links.open)
  await press('Close')
})

test('Ben, who has to sign in first, joins by it, and a message says that he has read it', async () => {
  await ben.page.goto(links.open)
  await ben.page.getByText('Sign in to join the group.').waitFor()
  await openSignInForm(ben.page)
  await ben.page.getByLabel('Phone number or Username').fill(ben.username)
  await ben.page.getByLabel('Password', { exact: true }).fill(ben.password)
  await ben.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await ben.page.getByText('Group · 2 members').waitFor()
  // The code shows the picture to who is not in the group yet.
  await ben.page.getByRole('main').locator('img[src^="blob:"]').waitFor()
  await lookAtBen('where a link leads')
  const join = ben.page.getByRole('button', { name: 'Join group' })
  await ben.goOffline()
  await join.click()
  await ben.page.getByText("You're offline. You join when you're back.").waitFor()
  await lookAtBen('joining that waits')
  await ben.page.getByRole('button', { name: "Don't join" }).click()
  await join.click()
  await ben.page.getByText("You're offline. You join when you're back.").waitFor()
  await ben.goOnline()
  await groupHeading(ben.page, 'Walks').waitFor()
  await line(page, 'ben joined by the link').waitFor()
  // On a phone the info would take the place of the chat, and of what is open over it.
  await page.getByRole('button', { name: 'Close group info' }).click()
  await say(page, 'who comes on Sunday?')
  await message(ben.page, 'who comes on Sunday?').waitFor()
  await expect.poll(() => readTicks(page, 'who comes on Sunday?')).toBe('Sent')

  await message(page, 'who comes on Sunday?').click({ button: 'right' })
  await choice(page, 'Info').click()
  const info = dialog(page, 'Message info')
  const readers = info.getByRole('region', { name: 'Read by' }).getByRole('listitem')
  await readers.filter({ hasText: 'ben' }).getByRole('time').waitFor()
  await info.getByRole('region', { name: 'Not delivered yet' }).getByText('cem').waitFor()
  await look('who has read a message')
  await info.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: /^Group info: / }).click()
})

test('what the device knows of a link is there without a network, and says so', async () => {
  await ann.goOffline()
  await row(page, /^Invite link/).click()
  await link.getByText(/As of /).waitFor()
  expect(await readLink()).toBe(links.open)
  await press('Make a new link')
  await press('Make link')
  await link.getByText("You're offline. Making a link needs a connection.").waitFor()
  await press('Cancel')
  await press('Withdraw link')
  await dialog(page, 'Withdraw this link?').getByRole('button', { name: 'Withdraw' }).click()
  await link.getByText("The link is withdrawn when you're back").waitFor()
  await look('a link that is withdrawn later')
  await press('Keep the link')
  expect(await readLink()).toBe(links.open)
  await press('Close')
  await ann.goOnline()
})

test('a link with approval: Dora asks, the chat says so to Ann, and she comes in once Ann accepts', async () => {
  await row(page, /^Invite link/).click()
  await press('Make a new link')
  await link.getByText('The link from before stops working.').waitFor()
  await link.getByLabel('An admin approves each person').check()
  await press('Make link')
  await link.getByText('Whoever has this link can ask to join. An admin lets them in.').waitFor()
  links.approved = await readLink()
  await press('Close')

  const lookAtDora = await createLook(dora.page)
  await dora.page.goto(links.open)
  await dora.page.getByText('This link was withdrawn.').waitFor()
  await lookAtDora('a link that was withdrawn')
  await dora.page.goto(links.approved)
  await dora.page.getByText('An admin of the group has to let you in.').waitFor()
  await dora.page.getByRole('button', { name: 'Ask to join' }).click()
  await dora.page.getByText('You asked to join.').waitFor()
  await lookAtDora('a request that waits')

  const requests = panel(page).getByRole('list', { name: 'Requests to join' })
  await requests.getByText('dora').waitFor()
  await page.getByRole('button', { name: /^1 person asks to join/ }).press('Enter')
  const isFocused = () => requests.evaluate((list) => list.contains(document.activeElement))
  await expect.poll(isFocused).toBe(true)
  await look('somebody who asks to join')
  await ann.goOffline()
  await requests.getByRole('button', { name: 'Decline dora' }).click()
  await requests.getByText('Declined · waiting').waitFor()
  await requests.getByRole('button', { name: 'Take back the answer to dora' }).click()
  await requests.getByRole('button', { name: 'Accept dora' }).press('Enter')
  await requests.getByText('Accepted · waiting').waitFor()
  await look('an answer that waits')
  await ann.goOnline()
  await line(page, 'You added dora').waitFor()
  await requests.waitFor({ state: 'detached' })
  expect(await page.getByRole('button', { name: /asks to join/ }).count()).toBe(0)
  await groupHeading(dora.page, 'Walks').waitFor()
  // A member sees neither the link nor who asks.
  await dora.page.getByRole('button', { name: /^Group info: / }).click()
  await panel(dora.page).getByText('4 members', { exact: true }).waitFor()
  expect(await row(dora.page, /^(Invite|Requests)/).count()).toBe(0)
})

test('who is declined reads it, and nobody joins by a link that was withdrawn or never was', async () => {
  const eve = await createPerson(server, 'eve')
  try {
    await registerPerson(eve)
    await eve.page.goto(links.approved)
    await eve.page.getByRole('button', { name: 'Ask to join' }).click()
    await eve.page.getByText('You asked to join.').waitFor()
    await panel(page).getByRole('button', { name: 'Decline eve' }).click()
    await panel(page).getByRole('list', { name: 'Requests to join' }).waitFor({ state: 'detached' })
    await eve.page.reload()
    await eve.page.getByRole('button', { name: 'Ask to join' }).click()
    await eve.page.getByText('The admins of this group did not let you in by this link.').waitFor()

    await row(page, /^Invite link/).click()
    await press('Withdraw link')
    await dialog(page, 'Withdraw this link?').getByRole('button', { name: 'Withdraw' }).click()
    await link.getByText('Whoever has the link can join the group.').waitFor()
    await press('Cancel')
    await eve.page.reload()
    await eve.page.getByText('This link was withdrawn.').waitFor()
    await eve.page.goto('/join/nobody-made-this')
    await eve.page.getByText('There is no such link.').waitFor()
    await eve.page.getByRole('button', { name: 'Go to your chats' }).click()
    await eve.page.waitForURL('**/chat')
    expect(eve.problems).toEqual([])
  } finally {
    await eve.close()
  }
})

test('who lets nobody add them to groups is not added, and the refusal says to send a link', async () => {
  const setting = 'Who can add you to groups'
  await dora.page.goto('/settings/privacy')
  await chooseSetting(dora.page, setting, 'Nobody')
  await settingRow(dora.page, setting).getByText('Nobody').waitFor()
  await (await createLook(dora.page))('privacy')
  await expect.poll(() => dora.page.getByText('Saved on this device').count()).toBe(0)
  await makeGroup(page, 'Cooks', ['dora'], { picture: await drawPhoto(page) })
  await page
    .getByText(/Send them the group’s link instead/)
    .first()
    .waitFor()
  await chatRow(page, 'Cooks').getByRole('img', { name: 'Not created' }).waitFor()
  expect([...ann.problems, ...ben.problems, ...dora.problems]).toEqual([])
})
