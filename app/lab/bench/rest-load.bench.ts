import { must } from '../../../schema/helpers/assertions.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { readMetric } from '../server/read-metric.ts'
import { type Account, pushMessages, registerAccount } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { startBareServer } from './floors/start-bare-server.ts'
import { describeLoad, joinLoads, type Load, putLoad } from './load/put-load.ts'

const clients = 100
const turns = 3
const historyLength = 60
const content = 'as many words as people write in one message of a chat'

type Side = { read: () => Promise<Load>; write: () => Promise<Load>; close: () => Promise<void> }

/** A hundred people who send messages, and who read a conversation's newest page, in sequence. */
export async function measure(): Promise<Figure[]> {
  const sides = {
    bare: await startBare(),
    durable: await startOurs('sync'),
    relaxed: await startOurs('relaxed'),
  }
  const loads = new Map<string, Load[]>()
  const note = (name: string, load: Load) => loads.set(name, [...(loads.get(name) ?? []), load])
  // Alternating, so that the machine's other load affects all; the first turn is a warm-up.
  for (let turn = 0; turn <= turns; turn++) {
    if (turn === 1) loads.clear()
    note('bare write', await sides.bare.write())
    note('durable write', await sides.durable.write())
    note('relaxed write', await sides.relaxed.write())
    note('bare read', await sides.bare.read())
    note('relaxed read', await sides.relaxed.read())
  }
  await Promise.all(Object.values(sides).map((side) => side.close()))
  const of = (name: string) => joinLoads(must(loads.get(name), name))
  return [
    ...compare('POST /messages, on disk when acknowledged', of('durable write'), of('bare write')),
    ...compare('POST /messages, DURABILITY=relaxed', of('relaxed write'), of('bare write')),
    ...compare('GET /messages/{id}, 50 messages', of('relaxed read'), of('bare read')),
  ]
}

async function startBare(): Promise<Side> {
  const { origin, close } = await startBareServer()
  const readProcessor = async () => Number(await (await fetch(`${origin}/processor`)).text())
  const base = { origin, clients, readProcessor }
  return {
    read: () => putLoad({ ...base, ask: () => ({ method: 'GET', path: '/messages/ben' }) }),
    write: () =>
      putLoad({ ...base, ask: () => ({ method: 'POST', path: '/messages', body: { content } }) }),
    close,
  }
}

async function startOurs(durability: 'sync' | 'relaxed'): Promise<Side> {
  const { origin, close } = await startBuiltServer({ env: { DURABILITY: durability } })
  const people: Account[] = []
  for (let index = 0; index < clients; index++) {
    people.push(await registerAccount(origin, `person${index}`))
  }
  const person = (index: number) => must(people[index], 'a person')
  // Pairs talk to each other, so that each copy belongs to a busy database.
  const peer = (client: number) => person(client % 2 === 0 ? client + 1 : client - 1)
  for (let index = 0; index < clients; index += 2) {
    const recipientId = peer(index).userId
    await pushMessages({ origin, author: person(index), recipientId, count: historyLength })
  }
  const readProcessor = () => readMetric(origin, 'process_cpu_seconds_total')
  const base = { origin, clients, readProcessor }
  return {
    read: () =>
      putLoad({
        ...base,
        ask: (client) => ({
          method: 'GET',
          path: `/api/messages/${peer(client).userId}`,
          token: person(client).token,
        }),
      }),
    write: () =>
      putLoad({
        ...base,
        ask: (client) => ({
          method: 'POST',
          path: '/api/messages',
          token: person(client).token,
          body: { recipientId: peer(client).userId, content },
        }),
      }),
    close,
  }
}

function compare(what: string, ours: Load, bare: Load): Figure[] {
  const [value, floor] = [describeLoad(ours), describeLoad(bare)]
  const beside = (key: keyof typeof floor) => [{ what: 'bare Express', value: floor[key] }]
  const whole = `${what}, ${clients} clients`
  return [
    { what: whole, value: value.perSecond, unit: 'requests/s', floors: beside('perSecond') },
    { what: `${whole}, p99`, value: value.p99Ms, unit: 'ms', floors: beside('p99Ms') },
    {
      what: `${whole}, processor time of each`,
      value: value.processorMs,
      unit: 'ms',
      floors: beside('processorMs'),
    },
  ]
}
