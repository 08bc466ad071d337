import type { Page } from 'playwright-core'
import { composer, message, openChat, say } from '../browser/chat-steps.ts'
import { startTwoPeople } from '../browser/start-two-people.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'
import { measuredBrowser } from './page/measured-browser.ts'

const rounds = 60
/** Faster than anyone types: the fastest reach 17 keys a second. */
const keyEveryMs = 50

/**
 * From the key press to the own bubble in the page, in Chromium, in an active conversation: types
 * each message key by key while earlier ones are in transit. Also without pauses, when two browsers
 * and the server share the machine with every key press.
 */
export async function measure(): Promise<Figure[]> {
  const { ann, close } = await startTwoPeople(measuredBrowser)
  await openChat(ann.page, 'ben')
  for (let round = 0; round < 10; round++) await say(ann.page, `warm-up ${round}`)
  await watchBubbles(ann.page)
  const typed = await timeBubbles(ann.page, 'typed', (text) =>
    composer(ann.page).pressSequentially(text, { delay: keyEveryMs }),
  )
  const hurried = await timeBubbles(ann.page, 'hurried', (text) => composer(ann.page).fill(text))
  const floor = await measureBareEcho(ann.page)
  await close()
  return [
    {
      what: 'key press → own bubble, median',
      value: takePercentile(typed, 0.5),
      unit: 'ms',
      floors: [{ what: 'key press → bare element', value: takePercentile(floor, 0.5) }],
      target: { atMost: 16 },
    },
    { what: 'key press → own bubble, p95', value: takePercentile(typed, 0.95), unit: 'ms' },
    {
      what: 'the same without a pause between messages, median',
      value: takePercentile(hurried, 0.5),
      unit: 'ms',
    },
  ]
}

/** Writes and sends messages in sequence. @returns ms from each Enter to its bubble */
async function timeBubbles(
  page: Page,
  words: string,
  write: (text: string) => Promise<void>,
): Promise<number[]> {
  await page.evaluate(() => globalThis.bubbleTimes.splice(0))
  for (let round = 0; round < rounds; round++) {
    const text = `${words} ${round}`
    await write(text)
    await composer(page).press('Enter')
    await message(page, text).waitFor()
  }
  return page.evaluate(() => globalThis.bubbleTimes)
}

declare global {
  var bubbleTimes: number[]
}

/** Records for each Enter how long its bubble takes to appear, after style and layout. */
async function watchBubbles(page: Page): Promise<void> {
  await page.evaluate(() => {
    globalThis.bubbleTimes = []
    let pressedAt = 0
    const seen = new Set(document.querySelectorAll('article'))
    document.addEventListener(
      'keydown',
      (event) => {
        if (event.key === 'Enter') pressedAt = event.timeStamp
      },
      true,
    )
    new MutationObserver(() => {
      for (const article of document.querySelectorAll('article')) {
        if (seen.has(article)) continue
        seen.add(article)
        if (pressedAt === 0) continue
        article.getBoundingClientRect()
        globalThis.bubbleTimes.push(performance.now() - pressedAt)
        pressedAt = 0
      }
    }).observe(document.body, { childList: true, subtree: true })
  })
}

/** The browser's own share: a key press answered by a bare element, measured the same way. */
async function measureBareEcho(page: Page): Promise<number[]> {
  await page.goto('/healthz')
  await page.evaluate(() => {
    globalThis.bubbleTimes = []
    document.addEventListener('keydown', ({ timeStamp }) => {
      const element = document.body.appendChild(document.createElement('p'))
      element.getBoundingClientRect()
      globalThis.bubbleTimes.push(performance.now() - timeStamp)
    })
  })
  for (let round = 0; round < rounds; round++) await page.keyboard.press('Enter')
  return page.evaluate(() => globalThis.bubbleTimes)
}
