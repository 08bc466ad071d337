import type { Page } from 'playwright-core'
import { registerPerson } from '../browser/account-steps.ts'
import { openChat } from '../browser/chat-steps.ts'
import { picker } from '../browser/emoji-steps.ts'
import { createPerson } from '../browser/person.ts'
import { showWholePage } from '../browser/show-whole-page.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { registerAccount } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'
import { measuredBrowser } from './page/measured-browser.ts'
import { readWhenShown, recordWhenShown } from './page/record-when-shown.ts'

const rounds = 7
const shown = '[role="dialog"][aria-label="Emoji"] [role="option"]'
const floorShown = '[data-floor]'
/** The number that the picker draws first. */
const buttonCount = 80

/** From the button's click to the laid-out emoji picker: on a fresh page, and again. */
export async function measure(): Promise<Figure[]> {
  const server = await startBuiltServer()
  const ann = await createPerson(server, 'ann', measuredBrowser)
  await registerPerson(ann)
  await registerAccount(server.origin, 'ben')
  const { page } = ann
  await showWholePage(page)
  await openChat(page, 'ben')
  await page.evaluate(() => navigator.serviceWorker.ready)
  const first: number[] = []
  const second: number[] = []
  const floor: number[] = []
  await ann.goOffline()
  for (let round = 0; round < rounds; round += 1) {
    await page.reload()
    await page.getByRole('button', { name: 'Emoji', exact: true }).waitFor()
    floor.push(await timeFloor(page))
    first.push(await timeOpening(page))
    second.push(await timeOpening(page))
  }
  await ann.close()
  await server.close()
  const floors = [{ what: `${buttonCount} buttons in a box`, value: takePercentile(floor, 0.5) }]
  const figure = (which: string, times: number[], atMost: number): Figure => ({
    what: `emoji picker open, offline, ${which} time on a page, median of ${rounds}`,
    value: takePercentile(times, 0.5),
    unit: 'ms',
    floors,
    target: { atMost },
  })
  return [figure('the first', first, 500), figure('the second', second, 200)]
}

async function timeOpening(page: Page): Promise<number> {
  await page.evaluate(recordWhenShown, shown)
  // Not by mouse, whose hover would prefetch it: a finger or a key gives no warning.
  await page
    .getByRole('button', { name: 'Emoji', exact: true })
    .evaluate((button: HTMLElement) => button.click())
  const { shownAt, clickedAt } = await readWhenShown(page)
  await page.keyboard.press('Escape')
  await picker(page).waitFor({ state: 'detached' })
  return shownAt - clickedAt
}

/** The browser's own time for a box of as many one-character buttons. */
async function timeFloor(page: Page): Promise<number> {
  await page.evaluate(recordWhenShown, floorShown)
  await page.evaluate((count) => {
    const box = document.createElement('div')
    addEventListener('click', () => document.body.append(box), { once: true })
    for (let at = 0; at < count; at += 1) {
      const button = document.createElement('button')
      button.textContent = String.fromCodePoint(0x1f600 + at)
      button.dataset.floor = ''
      box.append(button)
    }
    document.body.click()
  }, buttonCount)
  const { shownAt, clickedAt } = await readWhenShown(page)
  await page.evaluate(
    (selector) => document.querySelector(selector)?.parentElement?.remove(),
    floorShown,
  )
  return shownAt - clickedAt
}
