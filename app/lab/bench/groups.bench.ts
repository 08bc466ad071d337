import { setTimeout as pause } from 'node:timers/promises'
import { must } from '../../../schema/helpers/assertions.ts'
import { type BuiltServer, startBuiltServer } from '../browser/start-built-server.ts'
import { readMetric } from '../server/read-metric.ts'
import { type Account, pushMessages } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { sumSizes } from './figures/sum-sizes.ts'
import { takePercentile } from './figures/take-percentile.ts'
import { createCheapAccounts } from './load/cheap-accounts.ts'
import { askAs, fillGroup, openGroup } from './load/filled-groups.ts'
import { createGroupDevice, type GroupDevice } from './load/group-device.ts'

const membersOnline = 100
const perSecond = 20
const [warmUpMs, forMs, settlingMs] = [10_000, 15_000, 5_000]
const [fewGroups, manyGroups] = [3, 300]
const [short, long] = [1_000, 100_000]
const looks = 40
const content = 'as many words as people write in one message of a chat'

/** What a group costs: a message to a hundred people on line, many silent groups, a long history. */
export async function measure(): Promise<Figure[]> {
  const { server, people } = await startWithPeople()
  const figures = [
    ...(await measureLoad(server, people)),
    ...(await measureSilentGroups(server, people)),
    ...(await measureLongGroup(server, people)),
  ]
  await server.close()
  return figures
}

async function startWithPeople() {
  const server = await startBuiltServer()
  await server.kill()
  const people = await createCheapAccounts(server.dataDir, membersOnline)
  await server.start()
  return { server, people }
}

async function measureLoad(server: BuiltServer, people: readonly Account[]): Promise<Figure[]> {
  const { origin } = server
  const [author, ...others] = people
  const groupId = await openGroup(origin, must(author, 'an author'), others)
  const diskBefore = await readDisk(server)
  const counts = { requests: 0, frames: 0 }
  const arrived = new Map<string, number[]>()
  const sentAt = new Map<string, number>()
  const failed: unknown[] = []
  const devices: GroupDevice[] = []
  for (const account of people) {
    devices.push(
      await createGroupDevice({
        ...{ origin, account, counts },
        onArrived: (id) => arrived.get(id)?.push(performance.now()),
        onError: (error) => failed.push(error),
      }),
    )
  }
  const readProcessor = () => readMetric(origin, 'process_cpu_seconds_total')

  async function run(ms: number) {
    const count = Math.round((ms * perSecond) / 1_000)
    const begunAt = performance.now()
    for (let at = 0; at < count; at += 1) {
      const waitMs = begunAt + (at * 1_000) / perSecond - performance.now()
      if (waitMs > 0) await pause(waitMs)
      const id = must(devices[at % devices.length], 'a device').send(groupId, content)
      arrived.set(id, [])
      sentAt.set(id, performance.now())
    }
    await pause(settlingMs)
    return count
  }

  const warmedUp = await run(warmUpMs)
  arrived.clear()
  const before = {
    processor: await readProcessor(),
    ...counts,
  }
  const count = await run(forMs)
  const processorMs = ((await readProcessor()) - before.processor) * 1_000
  const requests = counts.requests - before.requests
  const waits = [...arrived].flatMap(([id, times]) => {
    if (times.length < membersOnline - 1) throw new Error(`${id} came to ${times.length} only`)
    return Math.max(...times) - (sentAt.get(id) ?? 0)
  })
  for (const device of devices) device.close()
  if (failed.length > 0) throw failed[0]
  const bytes = (await readDisk(server)) - diskBefore
  const singles = await measureSingles()
  const what = `a message to ${membersOnline} members on line, ${perSecond} a second, with receipts`
  return [
    {
      what: `${what}: the server’s processor time`,
      value: processorMs / count,
      unit: 'ms',
      floors: [
        {
          what: 'the same words to each of them alone, nobody on line',
          value: singles.processorMs,
        },
      ],
    },
    {
      what: `${what}: on the disk`,
      value: bytes / (warmedUp + count),
      unit: 'bytes',
      floors: [{ what: 'the same words to each of them alone', value: singles.bytes }],
    },
    {
      what: `${what}: until the last of them has it, median`,
      value: takePercentile(waits, 0.5),
      unit: 'ms',
    },
    {
      what: `${what}: until the last of them has it, 95 %`,
      value: takePercentile(waits, 0.95),
      unit: 'ms',
    },
    {
      what: `${what}: requests`,
      value: requests / count,
      unit: 'requests',
    },
  ]
}

/** A start writes what lies in LevelDB's log into its tables: only then are two sizes comparable. */
async function readDisk(server: BuiltServer): Promise<number> {
  await server.kill()
  await server.start()
  return await sumSizes(server.dataDir)
}

/** The same words as one chat with each of them has them, where nothing else takes room. */
async function measureSingles() {
  const { server, people } = await startWithPeople()
  const { origin } = server
  const [author, ...others] = people
  const disk = await readDisk(server)
  const before = await readMetric(origin, 'process_cpu_seconds_total')
  for (const { userId } of others) {
    const to = { origin, author: must(author, 'an author'), recipientId: userId, count: 1 }
    await pushMessages(to)
  }
  const processor = (await readMetric(origin, 'process_cpu_seconds_total')) - before
  const bytes = (await readDisk(server)) - disk
  await server.close()
  return { processorMs: processor * 1_000, bytes }
}

/** A start of a device that has all: where is each of its groups? */
async function measureSilentGroups(
  { origin }: BuiltServer,
  people: readonly Account[],
): Promise<Figure[]> {
  const [, few, many, other] = people
  const startOf = async (person: Account | undefined, count: number) => {
    const owner = must(person, 'a person')
    for (let made = 0; made < count; made += 1) {
      await openGroup(origin, owner, [must(other, 'another')])
    }
    const counts = { requests: 0, frames: 0 }
    const ignore = { onArrived: () => {}, onError: () => {} }
    const device = await createGroupDevice({ ...{ origin, account: owner, counts }, ...ignore })
    const times: number[] = []
    for (let look = 0; look < looks; look += 1) {
      const at = performance.now()
      await device.catchUp()
      times.push(performance.now() - at)
    }
    device.close()
    return takePercentile(times, 0.5)
  }
  const ofFew = await startOf(few, fewGroups)
  const ofMany = await startOf(many, manyGroups)
  return [
    {
      what: `a device asks what is new in ${manyGroups} silent groups, median`,
      value: ofMany,
      unit: 'ms',
      floors: [{ what: `${fewGroups} groups`, value: ofFew }],
    },
  ]
}

async function measureLongGroup(
  { origin }: BuiltServer,
  people: readonly Account[],
): Promise<Figure[]> {
  const [author, reader] = people
  const owner = must(author, 'an author')
  const open = async (count: number) => {
    const groupId = await openGroup(origin, owner, [must(reader, 'a reader')])
    await fillGroup({ origin, author: owner, groupId, count })
    const times: number[] = []
    for (let look = 0; look < looks; look += 1) {
      const at = performance.now()
      await askAs(origin, must(reader, 'a reader'), `/api/messages/${groupId}?limit=50`)
      times.push(performance.now() - at)
    }
    return takePercentile(times, 0.5)
  }
  const ofShort = await open(short)
  const ofLong = await open(long)
  return [
    {
      what: `the newest 50 messages of a group of ${long.toLocaleString('en')}, median`,
      value: ofLong,
      unit: 'ms',
      floors: [{ what: `of ${short.toLocaleString('en')}`, value: ofShort }],
    },
  ]
}
