import type { CDPSession, Locator, Page } from 'playwright-core'
import { readRestingBox } from './message-steps.ts'

export function picker(page: Page): Locator {
  return page.getByRole('dialog', { name: 'Emoji', exact: true })
}

export async function openPicker(page: Page) {
  await page.getByRole('button', { name: 'Emoji', exact: true }).click()
  await picker(page).getByRole('option').first().waitFor()
}

export function offered(page: Page, name: string): Locator {
  return picker(page).getByRole('option', { name, exact: true })
}

/** Searches for an emoji by name and picks it. */
export async function pickEmoji(page: Page, name: string) {
  await picker(page).getByRole('combobox').fill(name)
  await offered(page, name).click()
  await picker(page).getByRole('combobox').fill('')
}

/** A finger that stays on an element until `beforeItLeaves` has seen the effect. */
export async function pressLong(
  touch: CDPSession,
  target: Locator,
  beforeItLeaves: () => Promise<void>,
) {
  const box = await readRestingBox(target)
  const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] })
  await beforeItLeaves()
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}
