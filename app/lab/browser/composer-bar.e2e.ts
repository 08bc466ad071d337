import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { composer, openChat, untilSent } from './chat-steps.ts'
import { chooseOn, ownWords } from './message-steps.ts'
import { startAnnAlone } from './start-two-people.ts'

const people = await startAnnAlone()
const { page } = people.ann
const texts = {
  'a long text': `long ${'the lamp is lit and the boat is ready '.repeat(30)}`.trim(),
  'an unbroken word': `word${'wwwwwwwwww'.repeat(120)}`,
  'a text from right to left': `שלום ${'זה טקסט ארוך מאוד מימין לשמאל '.repeat(20)}`.trim(),
}

beforeAll(async () => {
  await openChat(page, 'ben')
  for (const text of Object.values(texts)) {
    await composer(page).fill(text)
    await composer(page).press('Enter')
    await ownWords(page, text.slice(0, 20)).waitFor()
    await untilSent(page)
  }
})

afterAll(() => people.close())

test.each(
  Object.entries(texts).flatMap(([what, text]) =>
    [1280, 390].flatMap((width) =>
      ['Reply', 'Edit'].map((action) => ({ what, text, width, action })),
    ),
  ),
)('$action of $what keeps Send on a screen of $width px', async ({ text, width, action }) => {
  await page.setViewportSize({ width, height: 800 })
  await chooseOn(page, text.slice(0, 20), action)
  await composer(page).fill('an answer')
  const send = page.getByRole('button', { name: action === 'Edit' ? 'Save' : 'Send', exact: true })
  const cancel = page.getByRole('button', {
    name: action === 'Edit' ? 'Cancel edit' : 'Cancel reply',
  })
  for (const control of [send, cancel, composer(page)]) {
    const box = await control.boundingBox()
    expect(box?.x).toBeGreaterThanOrEqual(0)
    expect((box?.x ?? 0) + (box?.width ?? width)).toBeLessThanOrEqual(width)
  }
  expect(await readOverflow(page)).toBe(0)
  await cancel.click()
})

/** How far the page overflows the screen, px. */
async function readOverflow(on: Page): Promise<number> {
  return on.evaluate(() => document.documentElement.scrollWidth - innerWidth)
}
