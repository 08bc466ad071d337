import { setPriority } from 'node:os'
import type { Page } from 'playwright-core'
import { readSession, registerPerson } from '../browser/account-steps.ts'
import { chatRow, composer } from '../browser/chat-steps.ts'
import { createPerson } from '../browser/person.ts'
import { showWholePage } from '../browser/show-whole-page.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { pushMessages, registerAccount } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'
import { waitUntilCalm, waitUntilStored } from './page/count-stored-messages.ts'
import { measuredBrowser } from './page/measured-browser.ts'

const slowdown = 4
const history = 1_000
const [arrivals, arrivesEveryMs] = [10, 500]
const [wheels, wheelPx] = [60, 240]
const restMs = 3_000
const settlesMs = 15_000
/** The server and the sender simulate other machines. */
const niceness = 10

declare global {
  /** When each frame began, ms. */
  var frameTimes: number[]
}

/** Frames of an open chat on a slow phone's processor: while it rests, is scrolled, and messages come in. */
export async function measure(): Promise<Figure[]> {
  const server = await startBuiltServer({ env: { DURABILITY: 'relaxed' }, niceness })
  const { origin } = server
  const ben = await createPerson(server, 'ben', measuredBrowser)
  const { page } = ben
  await registerPerson(ben)
  await showWholePage(page)
  setPriority(niceness)
  const ann = await registerAccount(origin, 'ann')
  const { userId: recipientId } = await readSession(ben)
  await pushMessages({ origin, author: ann, recipientId, count: history })
  await waitUntilStored(page, history)
  await waitUntilCalm(page)
  await page.goto('/chat')
  await chatRow(page, 'ann').click()
  await composer(page).waitFor()
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })

  // The search and later parts are prepared some seconds after a start: that is no rest yet.
  await page.waitForTimeout(settlesMs)
  const rest = await watchFrames(page, () => page.waitForTimeout(restMs))
  const scrolled = await watchFrames(page, async () => {
    await page.mouse.move(900, 400)
    for (let turn = 0; turn < wheels; turn += 1) {
      await page.mouse.wheel(0, turn < wheels / 2 ? -wheelPx : wheelPx)
    }
  })
  await page.keyboard.press('End')
  const came = await watchFrames(page, async () => {
    for (let turn = 0; turn < arrivals; turn += 1) {
      await pushMessages({ origin, author: ann, recipientId, count: 1 })
      await page.waitForTimeout(arrivesEveryMs)
    }
    await page.getByText('message 1 of 1,').nth(1).waitFor()
  })
  await ben.close()
  await server.close()
  return [
    ...describe('while a chat is scrolled', scrolled, rest),
    ...describe('while messages come in', came, rest),
  ]
}

/** The gaps between the frames meanwhile, ms. */
async function watchFrames(page: Page, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const times: number[] = []
    globalThis.frameTimes = times
    const note = (at: number) => {
      times.push(at)
      if (globalThis.frameTimes === times) requestAnimationFrame(note)
    }
    requestAnimationFrame(note)
  })
  await act()
  const times = await page.evaluate(() => {
    const seen = globalThis.frameTimes
    globalThis.frameTimes = []
    return seen
  })
  return times.slice(1).map((at, index) => at - (times[index] ?? at))
}

function describe(what: string, gaps: readonly number[], rest: readonly number[]): Figure[] {
  return [
    {
      what: `frames ${what}, ${slowdown} times slower`,
      value: perSecond(gaps),
      unit: 'frames/s',
      floors: [{ what: 'at rest', value: perSecond(rest) }],
      target: { atLeast: 55 },
    },
    {
      what: `of a hundred frames the second longest ${what}`,
      value: takePercentile(gaps, 0.98),
      unit: 'ms',
      floors: [{ what: 'at rest', value: takePercentile(rest, 0.98) }],
    },
  ]
}

function perSecond(gaps: readonly number[]): number {
  return (1_000 * gaps.length) / gaps.reduce((sum, gap) => sum + gap, 0)
}
