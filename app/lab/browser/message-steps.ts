import type { Locator, Page } from 'playwright-core'
import { waitUntil } from './wait-until.ts'

/** A message by its own text, not by its quotation. */
export function ownWords(page: Page, text: string): Locator {
  return page.getByRole('article', { name: `: ${text}` })
}

/**
 * A button beside a message, which is there while a pointer is on the message. A list that moves, as when a typist's
 * row goes, takes the message from beneath a pointer that rests: it is led there again.
 */
export async function showBeside(row: Locator, name: string): Promise<Locator> {
  const button = row.getByRole('button', { name, exact: true })
  await row.waitFor()
  // Whoever presses the button would wait for it in vain if that row went now.
  await row
    .page()
    .getByRole('img', { name: / is typing$/ })
    .first()
    .waitFor({ state: 'detached' })
  await waitUntil(`${name} is beside the message`, async () => {
    await row.hover()
    return button.isVisible()
  })
  return button
}

/** Presses a button beside a message. Should the list move first, and the button go, the pointer is led there again. */
export async function pressBeside(row: Locator, name: string) {
  const isPressed = async () => {
    const button = await showBeside(row, name)
    // A press that was made takes less, also of a page that stands still for a while.
    return button.click({ timeout: 10_000 }).then(
      () => true,
      () => false,
    )
  }
  await waitUntil(`${name} beside the message is pressed`, isPressed, 60_000)
}

/** Does something, and sees what it shows for seconds alone: whoever begins to look afterwards may come too late. */
export async function seeBriefly(shown: Locator, action: Promise<unknown>) {
  await Promise.all([shown.waitFor(), action])
}

/** Opens a message's menu by a right click, and chooses. */
export async function chooseOn(page: Page, text: string, action: string) {
  await ownWords(page, text).click({ button: 'right' })
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

/**
 * Waits until the server has taken an own message: one that is deleted before is withdrawn at once, without a question,
 * and nobody else sees that it was there.
 */
export async function untilAccepted(page: Page, text: string) {
  const ticks = ['sent', 'delivered', 'read'].map((status) => `[data-status="${status}"]`)
  await ownWords(page, text).locator(ticks.join()).waitFor()
}

/** Deletes an own message, once it was sent, for both people, or for this person alone. */
export async function deleteMessage(page: Page, text: string, forWhom = 'Delete for everyone') {
  await untilAccepted(page, text)
  await chooseOn(page, text, 'Delete')
  await answerDeletion(page, forWhom)
}

export async function answerDeletion(page: Page, forWhom = 'Delete for everyone') {
  await page.getByRole('dialog').getByRole('button', { name: forWhom }).click()
}

/** Stars a message, or unstars it, and waits until that is stored. */
export async function setStarred(page: Page, text: string, isStarred: boolean) {
  await chooseOn(page, text, isStarred ? 'Star' : 'Unstar')
  const star = ownWords(page, text).getByRole('img', { name: 'Starred' })
  await star.waitFor({ state: isStarred ? 'visible' : 'detached' })
}

/** Selects messages, the first through its menu, the others by a click. */
export async function select(page: Page, first: string, ...others: string[]) {
  await chooseOn(page, first, 'Select')
  for (const text of others) await ownWords(page, text).click()
  await selectionBar(page)
    .getByText(`${others.length + 1} selected`)
    .waitFor()
}

export function selectionBar(page: Page): Locator {
  return page.getByRole('toolbar', { name: 'Selected messages' })
}

export function forwardDialog(page: Page): Locator {
  return page.getByRole('dialog', { name: /^Forward (message|\d+ messages) to$/ })
}

export async function hasFocus(control: Locator): Promise<boolean> {
  return control.evaluate((element) => element === document.activeElement)
}

/**
 * Leaves a dialog by the keyboard, once it has the focus: one whose part has just been loaded is drawn a moment before it
 * listens.
 */
export async function leaveByEscape(dialog: Locator) {
  await untilListening(dialog)
  await dialog.page().keyboard.press('Escape')
}

/** Waits until a dialog has the focus, which it takes as it begins to listen. */
export async function untilListening(dialog: Locator) {
  await waitUntil('the dialog has the focus', () =>
    dialog.evaluate((element) => element.contains(document.activeElement)),
  )
}

/** Shows a control's tooltip. A list that moves takes the control from beneath a pointer that rests: it is led there again. */
export async function showTooltip(control: Locator, name: string) {
  const tooltip = control.page().getByRole('tooltip', { name })
  await waitUntil(`${name} is said beside the control`, async () => {
    await control.hover()
    return tooltip.isVisible()
  })
}

/**
 * Where an element is once it has stopped moving: a list follows what arrives, and what opens below it. The box is of
 * the last of ten frames in which nothing moved: measured by a second call it might be another one by then.
 */
export async function readRestingBox(target: Locator) {
  // It is in sight, and nothing lies over it.
  await target.click({ trial: true })
  return target.evaluate(async (element) => {
    const read = () => {
      const { x, y, width, height } = element.getBoundingClientRect()
      return { x, y, width, height }
    }
    let box = read()
    for (let still = 0; still < 10; ) {
      await new Promise(requestAnimationFrame)
      const now = read()
      still = now.x === box.x && now.y === box.y && now.height === box.height ? still + 1 : 0
      box = now
    }
    return box
  })
}
