import type { Page } from 'playwright-core'
import { registerPerson } from '../browser/account-steps.ts'
import { message, openChat, say } from '../browser/chat-steps.ts'
import { createPerson } from '../browser/person.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import type { Figure } from './figures/figure.ts'
import { countStored, waitUntilCalm, waitUntilStored } from './page/count-stored-messages.ts'
import { measuredBrowser } from './page/measured-browser.ts'

const count = 20

/**
 * Ann writes to Ben: each device's requests per message, and its pushes over the socket, depending on
 * its other activity.
 */
export async function measure(): Promise<Figure[]> {
  const server = await startBuiltServer()
  const ann = await createPerson(server, 'ann', measuredBrowser)
  const ben = await createPerson(server, 'ben', measuredBrowser)
  const watches = [watchTraffic(ann.page), watchTraffic(ben.page)] as const
  await registerPerson(ann)
  await registerPerson(ben)
  await openChat(ann.page, 'ben')
  await openChat(ben.page, 'ann')
  await sayAndSee('the first')
  await sayAndSee('the second')

  async function sayAndSee(text: string) {
    await say(ann.page, text)
    await message(ben.page, text).waitFor()
  }

  /**
   * Each device's requests per message. Starts on calm devices, and counts until they are calm
   * again.
   */
  async function countAll(state: string): Promise<[sent: number, received: number]> {
    await Promise.all([waitUntilCalm(ann.page), waitUntilCalm(ben.page)])
    const [sent, received] = watches.map((count) => count())
    const before = await countStored(ben.page)
    for (let number = 1; number <= count; number += 1) {
      await say(ann.page, `${state} ${number}`)
      await waitUntilStored(ben.page, before + number)
    }
    await Promise.all([waitUntilCalm(ann.page), waitUntilCalm(ben.page)])
    const [sender, receiver] = watches.map((count) => count())
    const each = (now = 0, earlier = 0) => (now - earlier) / count
    return [each(sender, sent), each(receiver, received)]
  }

  const open = await countAll('open')
  await ben.page.goto('/chat/starred')
  const visible = await countAll('visible')
  await hidePage(ben.page)
  const hidden = await countAll('hidden')
  await ann.close()
  await ben.close()
  await server.close()
  return Object.entries({ open, visible, hidden }).flatMap(
    ([state, [sent, received]]): Figure[] => [
      {
        what: `requests and pushes for each message sent, ${state} at the other`,
        value: sent,
        unit: 'requests',
        floors: [{ what: 'the push alone', value: 1 }],
      },
      {
        what: `requests and pushes for each message received, ${state}`,
        value: received,
        unit: 'requests',
        floors: [{ what: 'one mark for all', value: 1 / count }],
      },
    ],
  )
}

/** Counts requests and pushes over the socket, from before the page opens it. */
function watchTraffic(page: Page): () => number {
  const state = { count: 0 }
  const note = () => {
    state.count += 1
  }
  page.on('request', note)
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      if (String(payload).startsWith('{"event":"push-documents"')) note()
    }),
  )
  return () => state.count
}

/**
 * Puts another page in front: the browser reports this one as hidden, like a background tab or app.
 */
async function hidePage(page: Page) {
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    Object.defineProperty(document, 'hidden', { value: true, configurable: true })
    document.hasFocus = () => false
    document.dispatchEvent(new Event('visibilitychange'))
  })
}
