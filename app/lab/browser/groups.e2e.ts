import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, registerAccount } from '../server/server-accounts.ts'
import { readSession, registerPerson } from './account-steps.ts'
import { chatRow, composer, message, openChat, readMessages, readTicks, say } from './chat-steps.ts'
import { drawPhoto } from './file-steps.ts'
import { groupHeading, makeGroup } from './group-steps.ts'
import { registerWithKeys } from './key-steps.ts'
import { createLook } from './looks/look.ts'
import { hasFocus } from './message-steps.ts'
import { createPerson } from './person.ts'
import { startBuiltServer } from './start-built-server.ts'

const server = await startBuiltServer({ env: { GROUPS: 'on', END_TO_END: 'on' } })
const [ann, ben] = await Promise.all([
  createPerson(server, 'ann', { keepsApp: true }),
  createPerson(server, 'ben'),
])
const { page } = ann
const look = await createLook(page)
let cem: Account

beforeAll(async () => {
  await registerPerson(ann)
  await registerPerson(ben)
  cem = await registerAccount(server.origin, 'cem')
})

afterAll(async () => {
  await Promise.all([ann.close(), ben.close()])
  await server.close()
})

const dialog = (on: Page, name: string) => on.getByRole('dialog', { name })
const panel = (on: Page) => on.getByRole('region', { name: 'Group info' })
const row = (on: Page, name: string | RegExp) => panel(on).getByRole('button', { name })
const member = (on: Page, name: string) =>
  panel(on).getByRole('button', { name: new RegExp(`^${name}`) })
const choice = (on: Page, name: string) => on.getByRole('menuitem', { name })
const line = (on: Page, words: string) => on.getByRole('log').getByText(words, { exact: true })

async function openInfo(on: Page) {
  await on.getByRole('button', { name: /^Group info: / }).click()
  await panel(on).waitFor()
}

/** The newest words in the chat's row of the list. */
const readPreview = async (on: Page, name: string) => await chatRow(on, name).textContent()

test('the chip that shows no group yet leads to a new one, and so do New chat and the menu', async () => {
  await page.getByRole('button', { name: 'Groups' }).click()
  await page.getByText('No groups').waitFor()
  await look('no groups')
  await page.getByRole('button', { name: 'New group' }).click()
  const form = dialog(page, 'New group')
  await form.getByText('Nobody chosen yet').waitFor()
  expect(await form.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true)
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await choice(page, 'New group').click()
  await form.waitFor()
  await form.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'New chat' }).first().click()
  await dialog(page, 'New chat').getByRole('button', { name: 'New group' }).click()
  await form.getByRole('checkbox', { name: 'ben' }).check()
  await form.getByText('1 chosen').waitFor()
  await look('the people of a new group')
  await form.getByRole('button', { name: 'Remove ben' }).click()
  await form.getByText('Nobody chosen yet').waitFor()
  await form.getByRole('checkbox', { name: 'ben' }).check()
  await form.getByRole('button', { name: 'Next' }).click()
  await form.getByRole('button', { name: 'Create' }).click()
  await form.getByText('A group needs a name.').waitFor()
  await look('the name of a new group')
  await form.getByLabel('Group name').fill('Walks')
  await form.getByLabel('Description').fill('On Sundays')
  await form.getByRole('button', { name: 'Create' }).click()
  await groupHeading(page, 'Walks').waitFor()
  await line(page, 'You created the group “Walks”').waitFor()
  await page.locator('header').getByText('ben, You', { exact: true }).waitFor()
})

test('what one member writes the other reads, with their name above it and before it in the list', async () => {
  await chatRow(ben.page, 'Walks').click()
  await line(ben.page, 'ann created the group “Walks”').waitFor()
  await say(page, 'who comes on Sunday?')
  await message(ben.page, 'who comes on Sunday?').waitFor()
  await say(ben.page, 'I do')
  await message(page, 'I do').waitFor()
  await expect.poll(() => readPreview(page, 'Walks')).toContain('ben:I do')
  await expect.poll(() => readPreview(ben.page, 'Walks')).not.toContain('ben:')
  expect(await readMessages(page)).toMatchObject([
    { author: 'You', content: 'who comes on Sunday?' },
    { author: 'ben', content: 'I do' },
  ])
  // All the others have read it.
  await expect.poll(() => readTicks(page, 'who comes on Sunday?')).toBe('Read')
  await message(page, 'who comes on Sunday?').click({ button: 'right' })
  await choice(page, 'Info').click()
  const info = dialog(page, 'Message info')
  await info.getByText('Read by everyone').waitFor()
  await info.getByRole('region', { name: 'Read by' }).getByText('ben').waitFor()
  await info.getByRole('button', { name: 'Close' }).click()
  await look('a group')
})

test('a line is no message: it has no menu, and cannot be selected or answered', async () => {
  await line(page, 'You created the group “Walks”').click({ button: 'right' })
  await line(page, 'You created the group “Walks”').focus()
  await page.keyboard.press('Enter')
  await message(page, 'I do').click({ button: 'right' })
  await page.getByRole('menu', { name: 'Message actions' }).waitFor()
  expect(await page.getByRole('menu').count()).toBe(1)
  await choice(page, 'Select').click()
  await line(page, 'You created the group “Walks”').click()
  await page.getByText('1 selected').waitFor()
  await page.getByRole('button', { name: 'Cancel selection' }).click()
})

test('nothing that needs one person is offered in a group', async () => {
  await openInfo(page)
  expect(await row(page, /^(Block|Report)/).count()).toBe(0)
  await panel(page).getByText('On Sundays').waitFor()
  await look('group info')
})

test('P14: a new name, a role, a setting and a new member are lines for everybody', async () => {
  await row(page, 'Change name').click()
  await dialog(page, 'Change name').getByLabel('Group name').fill('Hikes')
  await dialog(page, 'Change name').getByRole('button', { name: 'Save' }).click()
  await groupHeading(page, 'Hikes').waitFor()
  await line(ben.page, 'ann changed the name to “Hikes”').waitFor()
  await groupHeading(ben.page, 'Hikes').waitFor()

  await row(page, 'Who can send messages').click()
  await choice(page, 'Only admins').click()
  await ben.page.getByText('Only admins can send messages in this group.').waitFor()
  expect(await composer(ben.page).count()).toBe(0)

  await member(page, 'ben').click()
  await choice(page, 'Make admin').click()
  await line(ben.page, 'ann made you an admin').waitFor()
  await composer(ben.page).waitFor()

  await row(page, 'Add people').click()
  await dialog(page, 'Add people').getByRole('checkbox', { name: 'cem' }).check()
  expect(await dialog(page, 'Add people').getByRole('checkbox', { name: 'ben' }).count()).toBe(0)
  await look('the people to add')
  await dialog(page, 'Add people').getByRole('button', { name: 'Add', exact: true }).click()
  await line(ben.page, 'ann added cem').waitFor()
  await panel(page).getByText('3 members', { exact: true }).waitFor()
  // An admin may take people out, and not their owner.
  await openInfo(ben.page)
  await member(ben.page, 'ann').click()
  await choice(ben.page, 'Message ann').waitFor()
  expect(await ben.page.getByRole('menuitem').count()).toBe(1)
  await ben.page.keyboard.press('Escape')
  await member(ben.page, 'cem').click()
  await choice(ben.page, 'Remove cem').click()
  await ben.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await line(page, 'ben removed cem').waitFor()
  await panel(page).getByText('2 members', { exact: true }).waitFor()
})

test('a member is mentioned by a key or a tap, in a new message and in an edit, and a tap on the name leads to them', async () => {
  const field = composer(page)
  const members = page.getByRole('listbox', { name: 'Members' })
  await field.fill('')
  await field.pressSequentially('look, @')
  await members.getByRole('option', { name: 'ben' }).waitFor()
  expect(await field.getAttribute('aria-activedescendant')).toBe('mention-completion-0')
  expect(await members.getByRole('option').count()).toBe(1)
  await field.press('Escape')
  await members.waitFor({ state: 'detached' })
  expect(await field.getAttribute('aria-activedescendant')).toBeNull()
  await field.pressSequentially('b')
  await field.press('Enter')
  expect(await field.inputValue()).toBe('look, @ben ')
  await field.pressSequentially('a heron')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const bubble = message(page, 'look, @ben a heron')
  await bubble.getByRole('link', { name: '@ben' }).waitFor()
  // To the one who is meant it leads nowhere.
  await message(ben.page, 'look, @ben a heron').getByText('@ben', { exact: true }).waitFor()
  expect(await ben.page.getByRole('log').getByRole('link', { name: '@ben' }).count()).toBe(0)

  await say(page, 'no, two')
  await message(page, 'no, two').click({ button: 'right' })
  await choice(page, 'Edit').click()
  await field.pressSequentially(' @')
  await members.getByRole('option', { name: 'ben' }).click()
  expect(await field.inputValue()).toBe('no, two @ben ')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  // What is typed before the edit has closed goes with it.
  const askFor = async () => {
    await field.fill('')
    await field.pressSequentially('@')
    return await members.count()
  }
  await expect.poll(askFor).toBe(1)
  await look('the members to mention')
  await field.fill('')
  await message(ben.page, 'no, two @ben').getByText('@ben', { exact: true }).waitFor()
  await bubble.getByRole('link', { name: '@ben' }).click()
  await page.getByRole('region', { name: 'Contact info' }).getByText('ben').first().waitFor()
  await page.goBack()
  await groupHeading(page, 'Hikes').waitFor()
})

test('a mention in a muted group shows in the list, and the open chat leads to it', async () => {
  const { token } = await readSession(ann)
  const { userId: benId } = await readSession(ben)
  const groupId = new URL(page.url()).pathname.split('/')[2]
  const write = async (content: string, mentions: readonly string[] = []) => {
    const answer = await fetch(`${server.origin}/api/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ recipientId: groupId, content, mentions }),
    })
    expect(answer.status).toBe(201)
  }
  await ben.page.locator('header').getByRole('button', { name: 'More' }).click()
  await choice(ben.page, 'Mute').click()
  await choice(ben.page, 'Always').click()
  await chatRow(ben.page, 'Hikes').getByRole('img', { name: 'Muted' }).waitFor()
  // What was written before is read, also where the menu held that up.
  const unread = chatRow(ben.page, 'Hikes').getByRole('img', { name: / unread$/ })
  await unread.waitFor({ state: 'detached' })
  await ben.page.goto('/chat')
  for (let at = 1; at <= 40; at += 1) await write(`heron ${at}`)
  const sign = chatRow(ben.page, 'Hikes').getByRole('img', { name: 'You were mentioned' })
  await chatRow(ben.page, 'Hikes').getByRole('img', { name: '40 unread' }).waitFor()
  expect(await sign.count()).toBe(0)
  await write('and @ben, an egret', [benId])
  for (let at = 1; at <= 40; at += 1) await write(`stork ${at}`)
  await sign.waitFor()
  await chatRow(ben.page, 'Hikes').click()
  await message(ben.page, 'heron 1').waitFor()
  const way = ben.page.getByRole('button', { name: 'Go to where you were mentioned, 1 new' })
  await way.click()
  await message(ben.page, 'and @ben, an egret').getByText('@ben', { exact: true }).waitFor()
  await way.waitFor({ state: 'detached' })
  await sign.waitFor({ state: 'detached' })
  await message(ben.page, 'stork 1').waitFor()
  await ben.page.getByRole('button', { name: /^Go to the newest message/ }).click()
  await message(ben.page, 'stork 40').waitFor()
  await openInfo(ben.page)
})

test('a change made without a network shows at once, says that it waits, and follows', async () => {
  await ann.goOffline()
  await row(page, 'What new members see').click()
  await choice(page, 'Earlier messages, too').click()
  await row(page, 'What new members see').getByText('Earlier messages, too').waitFor()
  await panel(page).getByText("Changes are sent when you're back online.").waitFor()
  await ann.goOnline()
  await line(ben.page, 'ann let new members see earlier messages').waitFor()
  await panel(page)
    .getByText("Changes are sent when you're back online.")
    .waitFor({ state: 'detached' })
})

test('P1: a picture of the group that is given without a network shows at once, and reaches its members', async () => {
  await ann.goOffline()
  await panel(page)
    .getByLabel('Group picture')
    .setInputFiles(await drawPhoto(page))
  await dialog(page, 'Group picture').getByRole('button', { name: 'Use picture' }).click()
  await panel(page).locator('img[src^="blob:"]').waitFor()
  await panel(page).getByText("Changes are sent when you're back online.").waitFor()
  await chatRow(page, 'Hikes').locator('img').first().waitFor()
  await ann.goOnline()
  await line(ben.page, 'ann changed the group’s picture').waitFor()
  await panel(ben.page).locator('img').first().waitFor()
  await chatRow(ben.page, 'Hikes').locator('img').first().waitFor()
  await panel(ben.page).getByRole('button', { name: 'Remove picture' }).click()
  await line(page, 'ben removed the group’s picture').waitFor()
  await expect
    .poll(() => panel(page).getByRole('button', { name: 'Remove picture' }).count())
    .toBe(0)
})

test('P1: a group is made and written in without a network, says that it waits, and reaches its members', async () => {
  await ann.goOffline()
  await makeGroup(page, 'Boats', ['ben'])
  await page.getByText("The group is created once you're connected.").waitFor()
  await page.locator('header').getByText('Waiting for a connection').waitFor()
  await chatRow(page, 'Boats').getByRole('img', { name: 'Waiting to be created' }).waitFor()
  await look('a group that waits')
  await say(page, 'the tide is high')
  expect(await readTicks(page, 'the tide is high')).toBe('Waiting to be sent')
  await page.reload()
  await message(page, 'the tide is high').waitFor()
  await ann.goOnline()
  await expect.poll(() => readTicks(page, 'the tide is high')).toMatch(/Sent|Delivered/)
  await page.locator('header').getByText('ben, You', { exact: true }).waitFor()
  expect(await page.getByRole('img', { name: 'Waiting to be created' }).count()).toBe(0)
  await chatRow(ben.page, 'Boats').click()
  await message(ben.page, 'the tide is high').waitFor()
})

test('P10: a member is answered in private, with what they said, also without a network', async () => {
  await chatRow(page, 'Boats').getByText('the tide is high').waitFor()
  await message(ben.page, 'the tide is high').click({ button: 'right' })
  await choice(ben.page, 'Reply in private').click()
  await ben.page.waitForURL(`**/chat/${(await readSession(ann)).userId}`)
  await expect.poll(() => composer(ben.page).inputValue()).toBe('> Boats\n> the tide is high\n')
  expect(await hasFocus(composer(ben.page))).toBe(true)
  await ben.goOffline()
  await ben.page.keyboard.type('shall we go?')
  await ben.page.keyboard.press('Enter')
  const reply = ben.page.getByRole('article').filter({ hasText: 'shall we go?' })
  await reply.locator('q').getByText('the tide is high').waitFor()
  await ben.goOnline()
  const ticks = reply.locator('[data-status]')
  await expect.poll(() => ticks.getAttribute('aria-label')).toMatch(/Delivered|Read/)
  await ben.page.getByRole('link', { name: /^Boats/ }).click()
  await groupHeading(ben.page, 'Boats').waitFor()
})

test('a group is found by its name and by its address', async () => {
  const id = new URL(page.url()).pathname.split('/').at(-1)
  await openChat(page, 'Hikes')
  await page.goto(`/chat/group/${id}`)
  await groupHeading(page, 'Boats').waitFor()
  await page.waitForURL(`**/chat/${id}`)
  await page.getByRole('button', { name: 'Groups' }).click()
  await chatRow(page, 'Boats').waitFor()
  await chatRow(page, 'Hikes').waitFor()
})

test('who leaves keeps what was there, cannot write, and the next one owns the group', async () => {
  await openInfo(page)
  await row(page, 'Leave group').click()
  await dialog(page, 'Leave “Boats”?').getByText('Another member becomes the owner.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await line(ben.page, 'ann left. You own the group now').waitFor()
  await page
    .getByText("You aren't in this group any more, so you can't send messages here.")
    .waitFor()
  expect(await composer(page).count()).toBe(0)
  await message(page, 'the tide is high').waitFor()
  expect(await row(page, /^(Leave|Change|Add|Mute|Who)/).count()).toBe(0)
  await message(page, 'the tide is high').click({ button: 'right' })
  await choice(page, 'Copy').waitFor()
  expect(await choice(page, 'Edit').count()).toBe(0)
  await page.keyboard.press('Escape')
  await look('a group that one left')
  expect([...ann.problems, ...ben.problems]).toEqual([])
})

test('who is removed reads why nothing can be written', async () => {
  await openChat(page, 'Hikes')
  await openChat(ben.page, 'Hikes')
  await openInfo(page)
  await member(page, 'ben').click()
  await choice(page, 'Remove ben').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await line(page, 'You removed ben').waitFor()
  await line(ben.page, 'ann removed you').waitFor()
  await ben.page.getByText("You aren't in this group any more, so you can't").waitFor()
  expect(await composer(ben.page).count()).toBe(0)
})

test('P6: a group that the server refuses says why in its place, and another try makes it', async () => {
  const setFirst = async (firstMessagesFrom: 'known' | 'everybody') => {
    const answer = await fetch(`${server.origin}/api/users/settings`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${cem.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ settings: { firstMessagesFrom } }),
    })
    expect(answer.status).toBe(200)
  }
  await setFirst('known')
  // By the keyboard alone.
  await page.getByRole('button', { name: 'New chat' }).first().press('Enter')
  await dialog(page, 'New chat').getByRole('button', { name: 'New group' }).press('Enter')
  const form = dialog(page, 'New group')
  await form.getByRole('checkbox', { name: 'ben' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Space')
  await form.getByRole('button', { name: 'Remove cem' }).waitFor()
  await form.getByRole('button', { name: 'Next' }).press('Enter')
  await page.keyboard.type('Cooks')
  await page.keyboard.press('Enter')
  const refusal = page.getByText(/^This group wasn't created\. Somebody among them cannot be added/)
  await refusal.waitFor()
  await page.getByText("The group “Cooks” wasn't created.").waitFor()
  expect(await composer(page).count()).toBe(0)
  await look('a group that was refused')
  await setFirst('everybody')
  await refusal.locator('..').getByRole('button', { name: 'Try again' }).click()
  await line(page, 'You created the group “Cooks”').waitFor()
  await composer(page).waitFor()
})

test('P13: whoever has keys reads that a group is not encrypted where somebody has none, and that it is where all have some', async () => {
  const dora = await createPerson(server, 'dora')
  const eve = await createPerson(server, 'eve')
  try {
    await registerWithKeys(dora)
    await makeGroup(dora.page, 'Plain', ['ben'])
    const words = "Not encrypted: somebody in this group hasn't set up encryption yet."
    await dora.page.getByText(words).waitFor()
    await openInfo(dora.page)
    await panel(dora.page).getByText(words).waitFor()
    await say(dora.page, 'anybody may read this')
    // The other's page may have got it already.
    await expect
      .poll(() => readTicks(dora.page, 'anybody may read this'))
      .toMatch(/^(Sent|Delivered)$/)
    await row(dora.page, /^Encryption/).click()
    const about = dora.page.getByRole('region', { name: 'Encryption' })
    await about.getByRole('listitem').getByText('ben').waitFor()
    await (await createLook(dora.page))('a group that is not encrypted')

    await registerWithKeys(eve)
    await makeGroup(dora.page, 'Sealed', ['eve'])
    const sign = /^This group is end-to-end encrypted\./
    await dora.page.getByRole('log').getByRole('button', { name: sign }).waitFor()
    await say(dora.page, 'only eve reads this')
    // The other's page may have got it already.
    await expect
      .poll(() => readTicks(dora.page, 'only eve reads this'))
      .toMatch(/^(Sent|Delivered)$/)
    expect(await dora.page.getByText('encrypted from here on').count()).toBe(0)
    await dora.page.getByRole('log').getByRole('button', { name: sign }).click()
    await about.getByText('Only its members can read them.').waitFor()
    await (await createLook(dora.page))('a group that is encrypted')
    expect(dora.problems).toEqual([])
  } finally {
    await Promise.all([dora.close(), eve.close()])
  }
})

test('where the server has no groups, none is offered', async () => {
  const other = await startBuiltServer({ env: { GROUPS: 'off' } })
  const dora = await createPerson(other, 'dora')
  try {
    await registerPerson(dora)
    await dora.page.getByRole('button', { name: 'Groups' }).click()
    await dora.page.getByText('No groups').waitFor()
    await dora.page.getByRole('button', { name: 'New chat' }).first().click()
    await dialog(dora.page, 'New chat')
      .getByRole('button', { name: /^Invite/ })
      .waitFor()
    expect(await dora.page.getByRole('button', { name: 'New group' }).count()).toBe(0)
  } finally {
    await dora.close()
    await other.close()
  }
})
