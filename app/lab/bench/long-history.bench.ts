import type { Page } from 'playwright-core'
import { readSession, registerPerson, waitUntilKept } from '../browser/account-steps.ts'
import { chatRow } from '../browser/chat-steps.ts'
import { type BrowserPerson, createPerson } from '../browser/person.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { pushMessages, registerAccount } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'
import { waitUntilStored } from './page/count-stored-messages.ts'
import { measuredBrowser } from './page/measured-browser.ts'
import { readWhenShown, recordWhenShown } from './page/record-when-shown.ts'

const [few, many] = [1_000, 100_000]
const rounds = 9

/** Does a long history slow the start, or opening its conversation? */
export async function measure(): Promise<Figure[]> {
  const short = await prepareHistory(few)
  const long = await prepareHistory(many)
  const took = { short: noTimes(), long: noTimes() }
  // Alternating, so that the machine's other load affects both.
  for (let round = 0; round < rounds; round++) {
    await measureRound(short.ben, took.short)
    await measureRound(long.ben, took.long)
  }
  await short.close()
  await long.close()
  return [
    compare('cold start offline → list is readable', took.long.starts, took.short.starts),
    compare('opening the conversation', took.long.opens, took.short.opens),
  ].flat()
}

const noTimes = () => ({ starts: [] as number[], opens: [] as number[] })

function compare(what: string, longs: number[], shorts: number[]): Figure[] {
  const [long, short] = [takePercentile(longs, 0.5), takePercentile(shorts, 0.5)]
  const floors = [{ what: `with ${few.toLocaleString('en')}`, value: short }]
  return [
    { what: `${what}, ${many.toLocaleString('en')} messages`, value: long, unit: 'ms', floors },
    { what: `${what}, growth`, value: long / short, unit: '×', target: { atMost: 1.2 } },
  ]
}

/** Ben, offline, with a conversation of the given length, written on his other device. */
async function prepareHistory(count: number) {
  const server = await startBuiltServer({ env: { DURABILITY: 'relaxed' } })
  const ann = await registerAccount(server.origin, 'ann')
  const ben = await createPerson(server, 'ben', measuredBrowser)
  await registerPerson(ben)
  const author = await readSession(ben)
  await pushMessages({ origin: server.origin, author, recipientId: ann.userId, count })
  await waitUntilStored(ben.page, count)
  await ben.page.goto(`/chat/${ann.userId}`)
  await ben.page.getByText(`message ${count} of`).last().waitFor()
  await waitUntilKept(ben)
  await ben.goOffline()
  return {
    ben,
    async close() {
      await ben.close()
      await server.close()
    },
  }
}

async function measureRound(ben: BrowserPerson, took: ReturnType<typeof noTimes>) {
  took.starts.push(await timeColdStart(ben))
  took.opens.push(await timeOpening(ben.page))
}

/**
 * A freshly started browser opens the app: ms from the navigation to a row with its last message.
 */
async function timeColdStart(person: BrowserPerson): Promise<number> {
  await person.restartBrowser()
  await person.page.addInitScript(recordWhenShown, 'ul[aria-label="Conversations"] a time')
  await person.page.goto('/chat')
  return (await readWhenShown(person.page)).shownAt
}

/** A click on the row: ms to the newest message in the page. */
async function timeOpening(page: Page): Promise<number> {
  await page.goto('/chat')
  const row = chatRow(page, 'ann')
  await row.waitFor()
  await page.evaluate(recordWhenShown, 'article')
  await row.click()
  const { shownAt, clickedAt } = await readWhenShown(page)
  return shownAt - clickedAt
}
