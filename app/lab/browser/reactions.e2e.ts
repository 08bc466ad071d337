import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepSignIn } from './account-steps.ts'
import { composer, message, openChat, say } from './chat-steps.ts'
import { picker } from './emoji-steps.ts'
import { findProblems } from './find-problems.ts'
import { answerDeletion, pressBeside } from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople({
  keepsApp: true,
  hasOwnBrowser: true,
  areAlike: true,
})
const { ann, ben } = people

beforeAll(async () => {
  await keepSignIn(ben)
  await openChat(ben.page, 'ann')
  await openChat(ann.page, 'ben')
})
afterAll(() => people.close())

const said = ({ page }: typeof ann) => page.getByRole('status')

const chip = (person: typeof ann, words: string, name: string) =>
  message(person.page, words).getByRole('button', { name, exact: true })

test('by the pointer: the seven open beside the message, and both see who reacted', async () => {
  await say(ann.page, 'by the pointer')
  await pressBeside(message(ben.page, 'by the pointer'), 'React')
  const bar = ben.page.getByRole('dialog', { name: 'React' })
  await bar.getByRole('button', { name: 'More reactions' }).waitFor()
  expect(
    await bar.getByRole('button').evaluateAll((all) => all.map((one) => one.ariaLabel)),
  ).toEqual([
    'Thumbs up',
    'Red heart',
    'Smiling',
    'Crying',
    'Folded hands',
    'Thumbs down',
    'Angry',
    'More reactions',
  ])
  expect(await findProblems(ben.page)).toEqual([])
  await bar.getByRole('button', { name: 'Thumbs up' }).click()
  await bar.waitFor({ state: 'detached' })
  await chip(ben, 'by the pointer', '👍 You').waitFor()
  await chip(ann, 'by the pointer', '👍 ben').waitFor()
  await said(ann).getByText('ben reacted 👍 to: by the pointer').waitFor({ state: 'attached' })
  await chip(ann, 'by the pointer', '👍 ben').click()
  await chip(ben, 'by the pointer', '👍 You, ann').waitFor()
  // It is not an own message, and own actions are not announced.
  expect(
    await said(ben)
      .getByText(/reacted/)
      .count(),
  ).toBe(0)
  expect(
    await said(ann)
      .getByText(/reacted/)
      .count(),
  ).toBe(1)
})

test('by the keyboard: chosen in the menu, changed, and taken back', async () => {
  await say(ann.page, 'by the keyboard')
  await message(ann.page, 'by the keyboard').focus()
  await ann.page.keyboard.press('Enter')
  await ann.page.getByRole('menuitemradio', { name: 'Thumbs up' }).focus()
  await ann.page.keyboard.press('ArrowRight')
  expect(await findProblems(ann.page)).toEqual([])
  await ann.page.keyboard.press('Enter')
  await chip(ben, 'by the keyboard', '❤️ ann').waitFor()
  await chip(ann, 'by the keyboard', '❤️ You').waitFor()
  await ann.page.keyboard.press('Enter')
  const heart = ann.page.getByRole('menuitemradio', { name: 'Red heart' })
  await expect.poll(() => heart.getAttribute('aria-checked')).toBe('true')
  await heart.focus()
  await ann.page.keyboard.press('ArrowDown')
  const reply = ann.page.getByRole('menuitem', { name: 'Reply' })
  await expect.poll(() => reply.evaluate(hasFocus)).toBe(true)
  await heart.focus()
  await ann.page.keyboard.press('Enter')
  await chip(ben, 'by the keyboard', '❤️ ann').waitFor({ state: 'detached' })
})

test('by the keyboard: a menu that grows beneath a mouse that rests leaves the focus where it is', async () => {
  const { page } = ann
  await ann.goOffline()
  const readHeight = async () => (await composer(page).boundingBox())?.height
  const height = await readHeight()
  // Positioned so that its menu opens below its first line, and new content above moves it down.
  await composer(page).fill(`on the way${'\n'.repeat(16)}at last`)
  await page.keyboard.press('Enter')
  const own = page.getByRole('article', { name: ': on the way' })
  // The message moves down while the composer shrinks.
  await expect.poll(readHeight).toBe(height)
  // Measured, so that it can take the focus, and at rest.
  await own.click({ trial: true })
  await own.focus()
  await page.keyboard.press('Enter')
  const item = (name: string) => page.getByRole('menuitem', { name, exact: true })
  await item('Forward').hover()
  await page.keyboard.press('Escape')
  await own.focus()
  await page.keyboard.press('Enter')
  const underMouse = page.locator('[role^="menuitem"]:hover')
  await expect.poll(() => underMouse.textContent()).toBe('Forward')
  await item('Select').focus()
  await ann.goOnline()
  await item('Delete').waitFor()
  await expect.poll(() => underMouse.textContent()).not.toBe('Forward')
  expect(await item('Select').evaluate(hasFocus)).toBe(true)
  await page.keyboard.press('Escape')
})

test('any other emoji is one step further, in the picker', async () => {
  await say(ann.page, 'with any emoji')
  await message(ben.page, 'with any emoji').click({ button: 'right' })
  await ben.page.getByRole('menuitem', { name: 'More reactions' }).click()
  await picker(ben.page).getByRole('combobox').fill('party popper')
  await picker(ben.page).getByRole('option', { name: 'Party Popper' }).waitFor()
  await ben.page.keyboard.press('Enter')
  await picker(ben.page).waitFor({ state: 'detached' })
  await chip(ann, 'with any emoji', '🎉 ben').waitFor()
  expect(await composer(ben.page).inputValue()).toBe('')
})

test('P1 P10: offline it is drawn at once, outlives a kill, and arrives when the network is back', async () => {
  await say(ann.page, 'in the storm')
  await message(ben.page, 'in the storm').waitFor()
  await ben.goOffline()
  await message(ben.page, 'in the storm').click({ button: 'right' })
  await ben.page.getByRole('menuitemradio', { name: 'Folded hands' }).click()
  await chip(ben, 'in the storm', '🙏 You').waitFor()
  await ben.killBrowser()
  await ben.profile.context.setOffline(true)
  await ben.page.goto('/chat')
  await openChat(ben.page, 'ann')
  await chip(ben, 'in the storm', '🙏 You').waitFor()
  expect(await chip(ann, 'in the storm', '🙏 ben').count()).toBe(0)
  await ben.goOnline()
  await chip(ann, 'in the storm', '🙏 ben').waitFor()
})

test('a deleted message has none', async () => {
  await say(ann.page, 'soon gone')
  await message(ben.page, 'soon gone').click({ button: 'right' })
  await ben.page.getByRole('menuitemradio', { name: 'Angry' }).click()
  await chip(ann, 'soon gone', '😡 ben').waitFor()
  await message(ann.page, 'soon gone').click({ button: 'right' })
  await ann.page.getByRole('menuitem', { name: 'Delete' }).click()
  await answerDeletion(ann.page)
  await ben.page.getByRole('log').getByText('This message was deleted').waitFor()
  expect(await ben.page.getByRole('button', { name: '😡 You' }).count()).toBe(0)
})

function hasFocus(element: Element) {
  return element === document.activeElement
}
