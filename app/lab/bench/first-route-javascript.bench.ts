import type { Page } from 'playwright-core'
import { chatRow, openChat, say } from '../browser/chat-steps.ts'
import { startTwoPeople } from '../browser/start-two-people.ts'
import type { Figure } from './figures/figure.ts'
import { sumGzip } from './figures/sum-gzip.ts'
import { measureLibrarySize } from './floors/measure-library-size.ts'

/** The JavaScript that a chat user's browser loads before the conversation list is readable. */
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
  const loaded = await Promise.all((await listScriptsBefore(ann.page)).map(readFile))
  await close()
  return [
    {
      what: 'JavaScript before the list is readable, gzip',
      value: sumGzip(loaded) / 1000,
      unit: 'kB',
      floors: [{ what: 'its libraries alone', value: (await measureLibrarySize()) / 1000 }],
      target: { atMost: 230 },
    },
  ]
}

declare global {
  /** When the list was about to be painted, as `performance.now()`. */
  var readableAt: number | undefined
}

function recordWhenReadable() {
  const observer = new MutationObserver(() => {
    const row = document.querySelector('ul[aria-label="Conversations"] a')
    if (!row?.checkVisibility()) return
    observer.disconnect()
    requestAnimationFrame((at) => {
      globalThis.readableAt = at
    })
  })
  observer.observe(document, { childList: true, subtree: true })
}

/** The addresses of scripts requested before the list was painted, including preloaded ones. */
async function listScriptsBefore(page: Page): Promise<string[]> {
  await page.waitForFunction(() => globalThis.readableAt !== undefined)
  return await page.evaluate(() => {
    const readableAt = globalThis.readableAt ?? 0
    return performance
      .getEntriesByType('resource')
      .filter(({ name, startTime }) => name.endsWith('.js') && startTime <= readableAt)
      .map(({ name }) => name)
  })
}

async function readFile(url: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(url)).arrayBuffer())
}
