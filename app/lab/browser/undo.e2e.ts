import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { keepSignIn, readSession } from './account-steps.ts'
import { chatRow, composer, openChat, readWords, say } from './chat-steps.ts'
import { findProblems } from './find-problems.ts'
import { deleteMessage, hasFocus, ownWords } from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'
import { holdAtOnce, holdOffer, untilNoted } from './undo-steps.ts'

const people = await startTwoPeople({
  keepsApp: true,
  hasOwnBrowser: true,
})
const { ann, ben } = people
const chat = `/chat/${(await readSession(ben)).userId}`
beforeAll(() => keepSignIn(ann))
afterAll(() => people.close())

const snackbar = () => ann.page.getByRole('region', { name: 'Undo' })
const undo = () => snackbar().getByRole('button', { name: 'Undo' })

async function readBox(target: Locator) {
  return must(await target.boundingBox(), 'a place on the screen')
}

const holding = (offered: Promise<unknown>) => holdOffer(ann.page, offered)
const deleteHolding = (text: string) => holding(deleteMessage(ann.page, text))

/** Deletes a message, with a pointer over the offer, which holds it, and waits until the device has noted that. */
async function deleteHeld(text: string) {
  const messageId = must(await ownWords(ann.page, text).getAttribute('data-message-id'), text)
  await deleteHolding(text)
  await untilNoted(ann, 'messageId', messageId)
}

test('a deleted message is hidden at once, said, and back with Undo; nobody else has seen anything', async () => {
  await openChat(ann.page, 'ben')
  await say(ann.page, 'a mistake')
  await openChat(ben.page, 'ann')
  await ownWords(ben.page, 'a mistake').waitFor()
  await deleteHolding('a mistake')
  await ownWords(ann.page, 'a mistake').waitFor({ state: 'detached' })
  await ann.page.getByRole('status').getByText('Message deleted. Press Control Z').waitFor()
  expect(await findProblems(ann.page)).toEqual([])
  const box = await snackbar().getByText('Message deleted', { exact: true }).boundingBox()
  expect(box?.height).toBeLessThan(30)
  // It is about this chat: it lies in it, over the messages, and covers neither the list nor the composer.
  const chatBox = await readBox(ann.page.getByRole('region', { name: 'Chat with ben' }))
  const offerBox = await readBox(snackbar())
  expect(offerBox.x).toBeGreaterThan(chatBox.x)
  expect(offerBox.x + offerBox.width).toBeLessThan(chatBox.x + chatBox.width)
  expect(offerBox.y + offerBox.height).toBeLessThan((await readBox(composer(ann.page))).y)
  await undo().click()
  await ownWords(ann.page, 'a mistake').waitFor()
  await snackbar().waitFor({ state: 'detached' })
  expect(await readWords(ben.page)).toEqual(['a mistake'])
})

test('by the keyboard: the focus holds it, Enter takes it back, and returns to where it was', async () => {
  await deleteHolding('a mistake')
  // It gives the focus back.
  await ann.page.getByRole('menu').waitFor({ state: 'detached' })
  await composer(ann.page).focus()
  await undo().focus()
  // From here on only the focus holds it.
  await ann.page.mouse.move(0, 0)
  await ann.page.keyboard.press('Enter')
  await ownWords(ann.page, 'a mistake').waitFor()
  await expect.poll(() => hasFocus(composer(ann.page))).toBe(true)
  await deleteHolding('a mistake')
  await ann.page.keyboard.press('Control+z')
  await ownWords(ann.page, 'a mistake').waitFor()
})

test('when its time is over, it is deleted for both', async () => {
  await Promise.all([snackbar().waitFor(), deleteMessage(ann.page, 'a mistake')])
  await snackbar().waitFor({ state: 'detached' })
  await ownWords(ben.page, 'a mistake').waitFor({ state: 'detached' })
})

test('P1: killed before its time is over, it is deleted at the next start', async () => {
  await say(ann.page, 'another mistake')
  await ownWords(ben.page, 'another mistake').waitFor()
  await deleteHeld('another mistake')
  await ann.killBrowser()
  await ann.page.goto(chat)
  await composer(ann.page).waitFor()
  await ownWords(ben.page, 'another mistake').waitFor({ state: 'detached' })
  expect(await ownWords(ann.page, 'another mistake').count()).toBe(0)
})

test('left by a reload, it is written', async () => {
  await say(ann.page, 'a third')
  await ownWords(ben.page, 'a third').waitFor()
  await deleteHeld('a third')
  await ann.page.reload()
  await composer(ann.page).waitFor()
  await ownWords(ben.page, 'a third').waitFor({ state: 'detached' })
})

test('an archived chat, and a deleted one, come back with Undo', async () => {
  await say(ann.page, 'kept')
  for (const choose of [
    () => ann.page.getByRole('menuitem', { name: 'Archive' }).click(),
    async () => {
      await ann.page.getByRole('menuitem', { name: 'Delete' }).click()
      await ann.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    },
  ]) {
    await chatRow(ann.page, 'ben').click({ button: 'right' })
    await holding(choose())
    await chatRow(ann.page, 'ben').waitFor({ state: 'detached' })
    await undo().click()
    await chatRow(ann.page, 'ben').waitFor()
    await ownWords(ann.page, 'kept').waitFor()
  }
})

test('away from its chat, what was deleted there can still be taken back; a chat that is archived says so by the list', async () => {
  await say(ann.page, 'left behind')
  await deleteHeld('left behind')
  // The offer that was held goes with the chat, and is another one here, with what is left of its time.
  const away = composer(ann.page).waitFor({ state: 'detached' })
  await Promise.all([
    holdAtOnce(ann.page, { isAnother: true }),
    away.then(() => snackbar().hover()),
    ann.page.getByRole('link', { name: 'Status' }).click(),
  ])
  await undo().waitFor()
  await ann.page.keyboard.press('Control+z')
  await snackbar().waitFor({ state: 'detached' })
  await ann.page.getByRole('link', { name: 'Chats' }).click()
  await openChat(ann.page, 'ben')
  await ownWords(ann.page, 'left behind').waitFor()
  await chatRow(ann.page, 'ben').click({ button: 'right' })
  await holding(ann.page.getByRole('menuitem', { name: 'Archive' }).click())
  const listEnd = (await readBox(ann.page.getByRole('region', { name: 'Chat with ben' }))).x
  const offerBox = await readBox(snackbar())
  expect(offerBox.x + offerBox.width).toBeLessThan(listEnd)
  await undo().click()
  await chatRow(ann.page, 'ben').waitFor()
})
