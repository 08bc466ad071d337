import type { Locator, Page } from 'playwright-core'

/** A message by its own text, not by its quotation. */
export function ownWords(page: Page, text: string): Locator {
  return page.getByRole('article', { name: `: ${text}` })
}

/** Opens a message's menu by a right click, and chooses. */
export async function chooseOn(page: Page, text: string, action: string) {
  await ownWords(page, text).click({ button: 'right' })
  await page.getByRole('menuitem', { name: action, exact: true }).click()
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
