import pLimit from 'p-limit'
import { readSession, registerPerson, waitUntilKept } from '../browser/account-steps.ts'
import { type BrowserPerson, createPerson } from '../browser/person.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { pushMessages } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'
import { createCheapAccounts } from './load/cheap-accounts.ts'
import { waitUntilCalm, waitUntilStored } from './page/count-stored-messages.ts'
import { measuredBrowser } from './page/measured-browser.ts'
import { readWhenShown, recordWhenShown } from './page/record-when-shown.ts'

const [few, many] = [6, 600]
const messagesEach = 2
const rounds = 7
const pairsAtOnce = 8

/** Does a long chat list slow the start? A freshly started browser opens it offline. */
export async function measure(): Promise<Figure[]> {
  const short = await prepareList(few)
  const long = await prepareList(many)
  const took = { short: [] as number[], long: [] as number[] }
  // Alternating, so that the machine's other load affects both.
  for (let round = 0; round < rounds; round += 1) {
    took.short.push(await timeColdStart(short.ben))
    took.long.push(await timeColdStart(long.ben))
  }
  await short.close()
  await long.close()
  const [value, floor] = [takePercentile(took.long, 0.5), takePercentile(took.short, 0.5)]
  return [
    {
      what: `cold start offline → list is readable, ${many} chats`,
      value,
      unit: 'ms',
      floors: [{ what: `with ${few}`, value: floor }],
    },
    { what: `cold start offline with ${many} chats, growth`, value: value / floor, unit: '×' },
  ]
}

/** Ben, offline, with the given number of chats on his device. */
async function prepareList(count: number) {
  const server = await startBuiltServer({ env: { DURABILITY: 'relaxed' } })
  const { origin } = server
  await server.kill()
  const people = await createCheapAccounts(server.dataDir, count)
  await server.start()
  const ben = await createPerson(server, 'ben', measuredBrowser)
  await registerPerson(ben)
  const { userId: recipientId } = await readSession(ben)
  const turn = pLimit(pairsAtOnce)
  const write = { origin, recipientId, count: messagesEach }
  await Promise.all(people.map((author) => turn(() => pushMessages({ ...write, author }))))
  await waitUntilStored(ben.page, count * messagesEach)
  await waitUntilCalm(ben.page)
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

/** From the navigation to a row with its last message, in ms. */
async function timeColdStart(person: BrowserPerson): Promise<number> {
  await person.restartBrowser()
  await person.page.addInitScript(recordWhenShown, 'ul[aria-label="Conversations"] a time')
  await person.page.goto('/chat')
  return (await readWhenShown(person.page)).shownAt
}
