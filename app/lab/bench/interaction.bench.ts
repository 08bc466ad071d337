import { setPriority } from 'node:os'
import type { Page } from 'playwright-core'
import { must } from '../../../schema/helpers/assertions.ts'
import { readSession, registerPerson } from '../browser/account-steps.ts'
import { chatRow, composer, message } from '../browser/chat-steps.ts'
import { type BrowserPerson, createPerson } from '../browser/person.ts'
import { showWholePage } from '../browser/show-whole-page.ts'
import { type BuiltServer, startBuiltServer } from '../browser/start-built-server.ts'
import { type Account, pushMessages, registerAccount } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'
import { countStored, waitUntilCalm, waitUntilStored } from './page/count-stored-messages.ts'
import { measuredBrowser } from './page/measured-browser.ts'
import { fillUp, watchInteractions } from './page/watch-interactions.ts'

const [perSecond, batchesPerSecond, authorCount] = [500, 20, 20]
const [shortHistory, longHistory] = [1_000, 100_000]
const slowdown = 4
const target = { atMost: 100 }
/** The server and the senders simulate other machines: they must not take Ben's processor. */
const niceness = 10

/** How long a person waits for the next paint after a click or a key, while the app is busy. */
export async function measure(): Promise<Figure[]> {
  const server = await startBuiltServer({ env: { DURABILITY: 'relaxed' }, niceness })
  const ben = await createPerson(server, 'ben', measuredBrowser)
  await registerPerson(ben)
  await showWholePage(ben.page)
  setPriority(niceness)
  const figures = [...(await measureFlood(server, ben)), ...(await measureLongHistory(server, ben))]
  await ben.close()
  await server.close()
  return figures
}

/** Ben writes in one conversation while messages arrive in twenty others. */
async function measureFlood(server: BuiltServer, ben: BrowserPerson): Promise<Figure[]> {
  const ann = await registerAccount(server.origin, 'ann')
  const me = await readSession(ben)
  await pushMessages({ origin: server.origin, author: ann, recipientId: me.userId, count: 200 })
  const authors: Account[] = []
  for (let n = 0; n < authorCount; n++) {
    const author = await registerAccount(server.origin, `writer${n}`)
    await pushMessages({ origin: server.origin, author, recipientId: me.userId, count: 1 })
    authors.push(author)
  }
  await waitUntilStored(ben.page, 200 + authorCount)
  await ben.page.goto(`/chat/${ann.userId}`)
  await composer(ben.page).waitFor()
  await talk(ben.page, 'warm-up')

  const silent = await timeInteractions(ben.page, () => talkOften(ben.page, 'silence'))
  const storedBefore = await countStored(ben.page)
  const flood = startFlood({ origin: server.origin, authors, recipientId: me.userId })
  const startedAt = performance.now()
  const flooded = await timeInteractions(ben.page, () => talkOften(ben.page, 'flood'))
  const seconds = (performance.now() - startedAt) / 1_000
  const received = (await countStored(ben.page)) - storedBefore
  const sent = await flood.stop()
  return [
    ...describe(`while ${perSecond} messages/s arrive`, flooded, { what: 'in silence', silent }),
    { what: 'messages sent meanwhile', value: sent / seconds, unit: 'docs/s' },
    { what: 'messages received meanwhile', value: received / seconds, unit: 'docs/s' },
  ]
}

async function talkOften(page: Page, text: string): Promise<number> {
  let count = 0
  for (let round = 0; round < 10; round++) count += await talk(page, `${text} ${round}`)
  return count
}

/** Types and sends a message, opens a menu and closes it. @returns the number of interactions */
async function talk(page: Page, text: string): Promise<number> {
  await composer(page).click()
  for (const letter of text) await page.keyboard.press(letter === ' ' ? 'Space' : letter)
  await page.keyboard.press('Enter')
  const bubble = message(page, text)
  await bubble.waitFor()
  await bubble.click({ button: 'right' })
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  return text.length + 4
}

/** Sends the given messages per second, in equal batches, until stopped. */
function startFlood(options: { origin: string; authors: readonly Account[]; recipientId: string }) {
  const { origin, authors, recipientId } = options
  const count = perSecond / batchesPerSecond
  const pushes: Promise<void>[] = []
  const timer = setInterval(() => {
    const author = authors[pushes.length % authors.length]
    if (author) pushes.push(pushMessages({ origin, author, recipientId, count }))
  }, 1_000 / batchesPerSecond)
  return {
    /** @returns how many were sent */
    async stop(): Promise<number> {
      clearInterval(timer)
      await Promise.all(pushes)
      return pushes.length * count
    },
  }
}

/** Ben scrolls up through a long history and types meanwhile, on a slow phone. */
async function measureLongHistory(server: BuiltServer, ben: BrowserPerson): Promise<Figure[]> {
  const { page } = ben
  const session = await page.context().newCDPSession(page)
  const author = await readSession(ben)

  async function timeScrolling(peer: string, count: number): Promise<number[]> {
    const { userId } = await registerAccount(server.origin, peer)
    const before = await countStored(page)
    await pushMessages({ origin: server.origin, author, recipientId: userId, count })
    await waitUntilStored(page, before + count)
    await waitUntilCalm(page)
    await page.goto('/chat')
    await chatRow(page, peer).click()
    await page.getByText(`message ${count} of`).last().waitFor()
    await waitUntilCalm(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    const times = await timeInteractions(page, () => scrollAndType(page))
    await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    return times
  }

  const short = await timeScrolling('carl', shortHistory)
  const long = await timeScrolling('dora', longHistory)
  await session.detach()
  const words = `while scrolling ${longHistory.toLocaleString('en')} messages, ${slowdown}× slower processor`
  return describe(words, long, { what: `with ${shortHistory}`, silent: short })
}

/** Up, back down and up again, with occasional letters: loads and drops pages of the history. */
async function scrollAndType(page: Page): Promise<number> {
  const [turns, turnsPerKey] = [240, 3]
  const place = must(await page.getByRole('log').boundingBox(), 'the place of the messages')
  await composer(page).focus()
  await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2)
  for (const distance of [-400, 400, -400]) {
    for (let turn = 0; turn < turns; turn++) {
      await page.mouse.wheel(0, distance)
      if (turn % turnsPerKey === 0) await page.keyboard.press('x')
    }
  }
  return (3 * turns) / turnsPerKey
}

/** Every interaction of `act`, which returns their number: ms to the next paint. */
async function timeInteractions(page: Page, act: () => Promise<number>): Promise<number[]> {
  const watch = await watchInteractions(page)
  const count = await act()
  return fillUp(await watch.stop(), count)
}

function describe(
  when: string,
  times: number[],
  floor: { what: string; silent: number[] },
): Figure[] {
  const floors = (share: number) => [
    { what: floor.what, value: takePercentile(floor.silent, share) },
  ]
  const what = `interaction → next paint ${when}`
  return [
    {
      what: `${what}, 98th of 100`,
      value: takePercentile(times, 0.98),
      unit: 'ms',
      floors: floors(0.98),
      target,
    },
    {
      what: `${what}, median of ${times.length}`,
      value: takePercentile(times, 0.5),
      unit: 'ms',
      floors: floors(0.5),
      target,
    },
  ]
}
