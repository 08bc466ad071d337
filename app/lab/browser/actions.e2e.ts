import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushMessages, registerAccount } from '../server/server-accounts.ts'
import { readSession } from './account-steps.ts'
import { chatRow, composer, openChat, readTicks, readWords, say } from './chat-steps.ts'
import { breakDisk } from './faults/break-disk.ts'
import { findProblems } from './find-problems.ts'
import { readHighlightMs } from './led-to.ts'
import {
  answerDeletion,
  chooseOn,
  deleteMessage,
  forwardDialog,
  hasFocus,
  leaveByEscape,
  ownWords,
  seeBriefly,
  select,
  selectionBar,
  untilAccepted,
  untilListening,
} from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'
import { holdOffer } from './undo-steps.ts'

const people = await startTwoPeople({
  permissions: ['clipboard-read', 'clipboard-write'],
})
const { ann, ben } = people
const { page } = ann
const annId = (await readSession(ann)).userId
const within = { timeout: 30_000 }
const bar = selectionBar(page)
const dialog = forwardDialog(page)
const searchField = page.getByRole('searchbox', { name: 'Search in this chat' })

beforeAll(async () => {
  for (const name of ['carl', 'dora']) {
    const author = await registerAccount(people.server.origin, name)
    await pushMessages({
      origin: people.server.origin,
      author,
      recipientId: annId,
      count: 1,
    })
    await chatRow(page, name).waitFor()
  }
  await openChat(ben.page, 'ann')
  await openBen()
  await say(page, 'the lamp is lit')
  await say(ben.page, 'the boat is ready')
  await ownWords(page, 'the boat is ready').waitFor()
})

afterAll(() => people.close())

async function openBen() {
  await page.goto('/chat')
  await openChat(page, 'ben')
}

test('a tooltip names a control, for the pointer and for the keyboard, until Escape', async () => {
  const search = page.getByRole('button', { name: 'Search in chat (Ctrl+F)' })
  expect(await search.getAttribute('title')).toBeNull()
  await search.hover()
  await page.getByRole('tooltip', { name: 'Search in chat (Ctrl+F)' }).waitFor()
  expect(await findProblems(page)).toEqual([])
  await composer(page).hover()
  await page.getByRole('tooltip').waitFor({ state: 'detached' })
  await search.focus()
  await page.keyboard.press('Tab')
  await page.getByRole('tooltip', { name: 'More' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('tooltip').waitFor({ state: 'detached' })
})

test('a tooltip stays while the pointer is on it, and blocks nothing beneath', async () => {
  const search = page.getByRole('button', { name: 'Search in chat (Ctrl+F)' })
  const tooltip = page.getByRole('tooltip', { name: 'Search in chat (Ctrl+F)' })
  await search.hover()
  await tooltip.waitFor()
  const box = await page.locator('[data-tooltip-layer]').boundingBox()
  if (!box) throw new Error('The tooltip has no place.')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.move(x + 2, y)
  const isThrough = await page.evaluate(
    ([left = 0, top = 0]) =>
      document.elementFromPoint(left, top)?.closest('[data-radix-popper-content-wrapper]') === null,
    [x, y],
  )
  expect(isThrough).toBe(true)
  // Longer than it stays without the pointer.
  await page.evaluate(async () => {
    for (let count = 0; count < 30; count++) await new Promise(requestAnimationFrame)
  })
  expect(await tooltip.count()).toBe(1)
  await page.mouse.move(x + 2, box.y + box.height + 60)
  await tooltip.waitFor({ state: 'detached' })
})

test('an answer names whoever is answered, oneself too', async () => {
  await chooseOn(page, 'the lamp is lit', 'Reply')
  await page.getByText('Replying to yourself', { exact: true }).waitFor()
  await expect.poll(() => hasFocus(composer(page)), within).toBe(true)
  await page.keyboard.press('Escape')
  await page.getByText('Replying to yourself', { exact: true }).waitFor({ state: 'detached' })
  await chooseOn(page, 'the boat is ready', 'Reply')
  await page.getByText('Replying to ben', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Cancel reply' }).click()
})

test('Escape closes the search from anywhere, and the focus goes back', async () => {
  await composer(page).focus()
  await page.keyboard.press('Control+f')
  await searchField.fill('lamp')
  await page.getByText('1 of 1', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await searchField.waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(composer(page)), within).toBe(true)
  await page.keyboard.press('Control+f')
  await searchField.waitFor()
  // In the middle of its row the hover buttons may appear first.
  await ownWords(page, 'the lamp is lit').locator('[dir="auto"]').click()
  await page.keyboard.press('Escape')
  await searchField.waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(ownWords(page, 'the lamp is lit')), within).toBe(true)
})

test('Escape closes the search that was opened over a selection, then ends the selection', async () => {
  await select(page, 'the lamp is lit')
  await page.keyboard.press('Control+f')
  await searchField.waitFor()
  await page.keyboard.press('Escape')
  await searchField.waitFor({ state: 'detached' })
  await bar.getByText('1 selected').waitFor()
  await page.keyboard.press('Escape')
  await bar.waitFor({ state: 'detached' })
})

test('the search keys work on any layout, and not behind a dialog', async () => {
  await page.evaluate(() => {
    const init = { key: 'а', code: 'KeyF', ctrlKey: true, bubbles: true, cancelable: true }
    document.body.dispatchEvent(new KeyboardEvent('keydown', init))
  })
  await searchField.waitFor()
  await page.keyboard.press('Escape')
  await searchField.waitFor({ state: 'detached' })
  await chooseOn(page, 'the lamp is lit', 'Info')
  const info = page.getByRole('dialog', { name: 'Message info' })
  await untilListening(info)
  await page.keyboard.press('Control+f')
  await page.keyboard.press('Control+k')
  await page.keyboard.press('Escape')
  await info.waitFor({ state: 'detached' })
  expect(await searchField.count()).toBe(0)
})

test('a dialog that a menu opened gives the focus back to where the menu was asked for', async () => {
  const lamp = ownWords(page, 'the lamp is lit')
  for (const [action, name] of [
    ['Info', 'Message info'],
    ['Forward', 'Forward message to'],
  ] as const) {
    await lamp.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: action }).press('Enter')
    await leaveByEscape(page.getByRole('dialog', { name }))
    await page.getByRole('dialog', { name }).waitFor({ state: 'detached' })
    await expect.poll(() => hasFocus(lamp), within).toBe(true)
  }
  const more = page.getByRole('button', { name: 'More' })
  await more.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Go to date' }).press('Enter')
  await leaveByEscape(page.getByRole('dialog', { name: 'Go to date' }))
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(more), within).toBe(true)
  await page.goto('/chat')
  await chatRow(page, 'carl').focus()
  await page.keyboard.press('Shift+F10')
  await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(chatRow(page, 'carl')), within).toBe(true)
})

test('a menu that is asked for at the moment when a dialog closes keeps the focus', async () => {
  await openBen()
  await chooseOn(page, 'the lamp is lit', 'Info')
  const info = page.getByRole('dialog', { name: 'Message info' })
  await info.waitFor()
  const lamp = ownWords(page, 'the lamp is lit')
  // Radix says in a timer that it has closed, and gives the focus back then.
  await info.evaluate((dialog) => {
    dialog.addEventListener('focusScope.autoFocusOnUnmount', () => {
      document.body.dataset.hasGivenBack = 'yes'
    })
  })
  // Before any timer: a person's next key may come before the page gets to them.
  await lamp.evaluate((message) => {
    new MutationObserver((_changes, observer) => {
      if (document.querySelector('[role="dialog"]')) return
      observer.disconnect()
      if (!(message instanceof HTMLElement)) return
      message.focus()
      message.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
    }).observe(document.body, { childList: true })
  })
  await page.keyboard.press('Escape')
  await page.locator('body[data-has-given-back]').waitFor()
  await page.getByRole('menuitem', { name: 'Info' }).press('Enter')
  await page.getByRole('dialog', { name: 'Message info' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => hasFocus(lamp), within).toBe(true)
})

test('the quoted message is reached by the keyboard', async () => {
  await openBen()
  await chooseOn(page, 'the lamp is lit', 'Reply')
  await say(page, 'and it shines')
  await ownWords(page, 'and it shines').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Go to the quoted message' }).press('Enter')
  await expect.poll(() => hasFocus(ownWords(page, 'the lamp is lit')), within).toBe(true)
})

test('a double click forwards once, the chat it went to opens, and its draft is still there', async () => {
  await openChat(page, 'carl')
  await chooseOn(page, 'message 1 of 1', 'Reply')
  await composer(page).fill('dear Carl')
  await openBen()
  await chatRow(page, 'carl').getByText('Draft:').waitFor()
  await chooseOn(page, 'the boat is ready', 'Forward')
  await dialog.getByRole('checkbox', { name: 'carl' }).check()
  await dialog.getByRole('button', { name: 'Forward' }).evaluate((button: HTMLElement) => {
    button.click()
    button.click()
  })
  await page.getByRole('heading', { name: 'carl', level: 2 }).waitFor()
  await ownWords(page, 'the boat is ready').first().waitFor()
  await page.getByText('Replying to carl', { exact: true }).waitFor()
  await expect.poll(() => composer(page).inputValue()).toBe('dear Carl')
  await say(page, 'that is all')
  const words = await readWords(page)
  expect(words.filter((word) => word === 'the boat is ready')).toHaveLength(1)
})

test('selected messages go to several people, a deleted one among them does not', async () => {
  await openBen()
  await say(page, 'a slip of the pen')
  await deleteMessage(page, 'a slip of the pen')
  await ownWords(page, 'This message was deleted').waitFor()
  await select(page, 'This message was deleted')
  for (const name of ['Copy', 'Forward']) {
    await expect
      .poll(() => bar.getByRole('button', { name }).isDisabled(), { message: name })
      .toBe(true)
  }
  await ownWords(page, 'the boat is ready').click()
  await bar.getByRole('button', { name: 'Forward' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await bar.getByText('2 selected').waitFor()
  await bar.getByRole('button', { name: 'Forward' }).click()
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await bar.getByText('2 selected').waitFor()
  await bar.getByRole('button', { name: 'Forward' }).click()
  await dialog.getByRole('checkbox', { name: 'carl' }).check()
  await dialog.getByRole('checkbox', { name: 'dora' }).check()
  await seeBriefly(
    page.getByRole('status').getByText('Forwarded to 2 chats', { exact: true }),
    dialog.getByRole('button', { name: 'Forward' }).click(),
  )
  expect(await findProblems(page)).toEqual([])
  await bar.waitFor({ state: 'detached' })
  for (const name of ['carl', 'dora']) {
    await chatRow(page, name).getByText('the boat is ready').waitFor()
  }
})

test('messages are deleted for both after one question, or for oneself, one or several', async () => {
  await say(page, 'first of two')
  await say(page, 'second of two')
  await say(page, 'on its own')
  await deleteMessage(page, 'on its own')
  await ownWords(page, 'on its own').waitFor({ state: 'detached' })
  for (const text of ['first of two', 'second of two']) await untilAccepted(page, text)
  await select(page, 'first of two', 'second of two')
  await bar.getByRole('button', { name: 'Forward' }).click()
  await page.getByRole('dialog', { name: 'Forward 2 messages to' }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await bar.getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('dialog', { name: 'Delete 2 messages?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await bar.getByText('2 selected').waitFor()
  await bar.getByRole('button', { name: 'Delete' }).click()
  await question.getByRole('button', { name: 'Delete for everyone' }).click()
  await bar.waitFor({ state: 'detached' })
  await ownWords(page, 'second of two').waitFor({ state: 'detached' })
  await expect
    .poll(async () => (await readWords(ben.page)).slice(-3), within)
    .toEqual(Array(3).fill('This message was deleted'))
  await say(page, 'mine alone to forget')
  await ownWords(ben.page, 'mine alone to forget').waitFor()
  await say(ben.page, 'rather not')
  await ownWords(page, 'rather not').waitFor()
  await select(page, 'mine alone to forget', 'rather not')
  await bar.getByRole('button', { name: 'Delete' }).click()
  const everyone = question.getByRole('button', { name: 'Delete for everyone' })
  // The other one's words are theirs.
  await question.getByRole('button', { name: 'Delete for me' }).waitFor()
  expect(await everyone.count()).toBe(0)
  expect(await findProblems(page)).toEqual([])
  await holdOffer(page, question.getByRole('button', { name: 'Delete for me' }).click())
  const undo = page.getByRole('region', { name: 'Undo' }).getByRole('button')
  await ownWords(page, 'rather not').waitFor({ state: 'detached' })
  await undo.click()
  await ownWords(page, 'rather not').waitFor()
  await deleteMessage(page, 'mine alone to forget', 'Delete for me')
  await chooseOn(page, 'rather not', 'Delete for me')
  await ownWords(page, 'rather not').waitFor({ state: 'detached' })
  await ownWords(page, 'mine alone to forget').waitFor({ state: 'detached' })
  expect((await readWords(ben.page)).slice(-2)).toEqual(['mine alone to forget', 'rather not'])
})

test('what is open or selected is the message as it is now', async () => {
  await say(ben.page, 'a frist draft')
  await select(page, 'a frist draft')
  await chooseOn(ben.page, 'a frist draft', 'Edit')
  await composer(ben.page).fill('a first draft')
  await composer(ben.page).press('Enter')
  await ownWords(page, 'a first draft').waitFor()
  await bar.getByRole('button', { name: 'Copy' }).click()
  await bar.waitFor({ state: 'detached' })
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()), within)
    .toBe('a first draft')
  await ann.goOffline()
  await say(page, 'written on the way')
  await chooseOn(page, 'written on the way', 'Info')
  const info = page.getByRole('dialog', { name: 'Message info' })
  await info.getByText('Written', { exact: true }).waitFor()
  expect(await info.getByText('Delivered').count()).toBe(0)
  await ann.goOnline()
  await info.getByText('Delivered').waitFor()
  await page.keyboard.press('Escape')
  await ann.goOffline()
  await say(page, 'selected while it waits')
  await select(page, 'selected while it waits')
  await ann.goOnline()
  await expect
    .poll(() => readTicks(page, 'selected while it waits'), within)
    .not.toBe('Waiting to be sent')
  await bar.getByRole('button', { name: 'Delete' }).click()
  await answerDeletion(page)
  await ownWords(page, 'selected while it waits').waitFor({ state: 'detached' })
  await expect
    .poll(async () => (await readWords(ben.page)).at(-1), within)
    .toBe('This message was deleted')
})

test('what cannot be deleted is selected again, and it is said', async () => {
  await say(page, 'stays for now')
  // Nothing else is left to write.
  await expect.poll(() => readTicks(page, 'stays for now'), within).toBe('Read')
  await select(page, 'stays for now')
  const mendDisk = await breakDisk(page)
  await bar.getByRole('button', { name: 'Delete' }).click()
  await answerDeletion(page)
  const alert = page.getByRole('dialog', {
    name: 'Failed to delete some messages. Please try again.',
  })
  await alert.getByRole('button', { name: 'OK' }).click()
  await bar.getByText('1 selected').waitFor()
  await mendDisk()
  await bar.getByRole('button', { name: 'Delete' }).click()
  await answerDeletion(page)
  await ownWords(page, 'stays for now').waitFor({ state: 'detached' })
})

test('ArrowUp in an empty composer edits the newest own message that can be edited', async () => {
  await openBen()
  await say(page, 'a tipo')
  await say(page, 'gone again')
  await deleteMessage(page, 'gone again')
  await ownWords(page, 'gone again').waitFor({ state: 'detached' })
  await say(ben.page, 'not yours')
  await ownWords(page, 'not yours').waitFor()
  const editing = page.getByText('Edit message', { exact: true })
  await composer(page).fill('x')
  await composer(page).press('ArrowUp')
  await composer(page).fill('')
  expect(await editing.count()).toBe(0)
  await composer(page).press('ArrowUp')
  await editing.waitFor()
  await expect.poll(() => composer(page).inputValue(), within).toBe('a tipo')
  await composer(page).fill('a typo')
  await composer(page).press('Enter')
  await ownWords(page, 'a typo').waitFor()
  await editing.waitFor({ state: 'detached' })
})

test('while messages are selected, a click on a link or a quote selects and does nothing else', async () => {
  await openBen()
  await say(page, 'see https://example.org/chart')
  await chooseOn(page, 'see https://example.org/chart', 'Reply')
  await say(page, 'and mind the rocks')
  await say(page, 'and the tide')
  await select(page, 'and the tide')
  await clickWhere('see https://example.org/chart', 'a')
  await bar.getByText('2 selected').waitFor()
  await clickWhere('and mind the rocks', 'button')
  await bar.getByText('3 selected').waitFor()
  expect(page.context().pages()).toHaveLength(1)
  expect(await readHighlightMs(ownWords(page, 'see https'))).toBeUndefined()
})

/** Clicks on a message, at a part of it. */
async function clickWhere(text: string, selector: string) {
  const position = await ownWords(page, text).evaluate((article, selector) => {
    const whole = article.getBoundingClientRect()
    const part = article.querySelector(selector)?.getBoundingClientRect() ?? whole
    return { x: part.left - whole.left + part.width / 2, y: part.top - whole.top + part.height / 2 }
  }, selector)
  await ownWords(page, text).click({ position })
}
