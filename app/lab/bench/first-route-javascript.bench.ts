import type { Page } from 'playwright-core'
import { chatRow, openChat, say } from '../browser/chat-steps.ts'
import { startTwoPeople } from '../browser/start-two-people.ts'
import type { Figure } from './figures/figure.ts'
import { sumGzip } from './figures/sum-gzip.ts'
import { measureLibrarySize } from './floors/measure-library-size.ts'

/** The JavaScript that a browser loads before the sign-in, and a chat user's before the list, is readable. */
export async function measure(): Promise<Figure[]> {
  // The service worker prefetches everything; the first screen does not wait for it.
  const { ann, close } = await startTwoPeople({ hasOwnBrowser: true })
  await openChat(ann.page, 'ben')
  await say(ann.page, 'hello')
  await ann.page.goto('about:blank')
  // The browser does not request what it cached during registration, which would go uncounted.
  const session = await ann.page.context().newCDPSession(ann.page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  await ann.page.addInitScript(recordWhenReadable)
  await ann.page.goto('/chat')
  await chatRow(ann.page, 'ben').waitFor()
  const ofList = await Promise.all((await listScriptsBefore(ann.page)).map(readFile))
  await ann.page.evaluate(() => localStorage.clear())
  await ann.page.goto('/login')
  const ofSignIn = await Promise.all((await listScriptsBefore(ann.page)).map(readFile))
  await close()
  return [
    {
      what: 'JavaScript before the sign-in is readable, gzip',
      value: sumGzip(ofSignIn) / 1000,
      unit: 'kB',
      floors: [],
      target: { atMost: 165 },
    },
    {
      what: 'JavaScript before the list is readable, gzip',
      value: sumGzip(ofList) / 1000,
      unit: 'kB',
      floors: [{ what: 'its libraries alone', value: (await measureLibrarySize()) / 1000 }],
      target: { atMost: 290 },
    },
  ]
}

declare global {
  /** When what the page is for was about to be painted, as `performance.now()`. */
  var readableAt: number | undefined
}

function recordWhenReadable() {
  const observer = new MutationObserver(() => {
    const row = document.querySelector('ul[aria-label="Conversations"] a, main ol li')
    if (!row?.checkVisibility()) return
    observer.disconnect()
    requestAnimationFrame((at) => {
      globalThis.readableAt = at
    })
  })
  observer.observe(document, { childList: true, subtree: true })
}

/** The addresses of scripts requested before that was painted, including preloaded ones. */
async function listScriptsBefore(page: Page): Promise<string[]> {
  await page.waitForFunction(() => globalThis.readableAt !== undefined)
  return await page.evaluate(() => {
    const readableAt = globalThis.readableAt ?? 0
    const names = performance
      .getEntriesByType('resource')
      .filter(({ name, startTime }) => name.endsWith('.js') && startTime <= readableAt)
      .map(({ name }) => name)
    // A part is fetched before it is imported, from the browser's cache by then: it came over the line once.
    return [...new Set(names)]
  })
}

async function readFile(url: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(url)).arrayBuffer())
}
