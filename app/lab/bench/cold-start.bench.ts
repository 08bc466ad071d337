import pLimit from 'p-limit'
import { must } from '../../../schema/helpers/assertions.ts'
import { readSession, registerPerson, waitUntilKept } from '../browser/account-steps.ts'
import { type BrowserPerson, createPerson } from '../browser/person.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { type Account, pushMessages } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'
import { createCheapAccounts } from './load/cheap-accounts.ts'
import { fillGroup, openGroup } from './load/filled-groups.ts'
import { waitUntilCalm, waitUntilStored } from './page/count-stored-messages.ts'
import { measuredBrowser } from './page/measured-browser.ts'
import { readWhenShown, recordWhenShown } from './page/record-when-shown.ts'

const [few, many] = [6, 600]
const [fewGroups, manyGroups] = [3, 300]
const messagesEach = 2
const rounds = 7
const pairsAtOnce = 8

/** Does a long chat list slow the start, or many groups? A freshly started browser opens it offline. */
export async function measure(): Promise<Figure[]> {
  return [
    ...(await compare({ what: `${many} chats`, few, many, fill: writeToBen })),
    ...(await compare({
      what: `${manyGroups} silent groups`,
      few: fewGroups,
      many: manyGroups,
      fill: gatherBen,
    })),
  ]
}

/** @returns how many messages he has then */
type Fill = (given: {
  origin: string
  people: readonly Account[]
  ben: Pick<Account, 'userId'>
  count: number
}) => Promise<number>

async function compare(given: {
  what: string
  few: number
  many: number
  fill: Fill
}): Promise<Figure[]> {
  const { what, few, many, fill } = given
  const short = await prepareList(few, fill)
  const long = await prepareList(many, fill)
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
      what: `cold start offline → list is readable, ${what}`,
      value,
      unit: 'ms',
      floors: [{ what: `with ${few}`, value: floor }],
    },
    { what: `cold start offline with ${what}, growth`, value: value / floor, unit: '×' },
  ]
}

/** Ben, offline, with the given number of conversations on his device. */
async function prepareList(count: number, fill: Fill) {
  const server = await startBuiltServer({ env: { DURABILITY: 'relaxed' } })
  const { origin, dataDir } = server
  await server.kill()
  const people = await createCheapAccounts(dataDir, many)
  await server.start()
  const ben = await createPerson(server, 'ben', measuredBrowser)
  await registerPerson(ben)
  const stored = await fill({ origin, people, ben: await readSession(ben), count })
  await waitUntilStored(ben.page, stored)
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

/** As many people as asked for write to him. */
const writeToBen: Fill = async ({ origin, people, ben, count }) => {
  const turn = pLimit(pairsAtOnce)
  const write = { origin, recipientId: ben.userId, count: messagesEach }
  const authors = people.slice(0, count)
  await Promise.all(authors.map((author) => turn(() => pushMessages({ ...write, author }))))
  return count * messagesEach
}

/** One of them gathers him in as many groups as asked for, and writes into each. */
const gatherBen: Fill = async ({ origin, people, ben, count }) => {
  const owner = must(people[0], 'an owner')
  for (let made = 0; made < count; made += 1) {
    const groupId = await openGroup(origin, owner, [ben])
    await fillGroup({ origin, author: owner, groupId, count: messagesEach })
  }
  return count * messagesEach
}

/** From the navigation to a row with its last message, in ms. */
async function timeColdStart(person: BrowserPerson): Promise<number> {
  await person.restartBrowser()
  await person.page.addInitScript(recordWhenShown, 'ul[aria-label="Conversations"] a time')
  await person.page.goto('/chat')
  return (await readWhenShown(person.page)).shownAt
}
