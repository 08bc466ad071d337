import { must } from '../../../schema/helpers/assertions.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { readMetric } from '../server/read-metric.ts'
import { pushMessages } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { sumSizes } from './figures/sum-sizes.ts'
import { createCheapAccounts } from './load/cheap-accounts.ts'
import { describeLoad, joinLoads, type Load, putLoad } from './load/put-load.ts'
import { waitUntilIdle, withGarbageCollected } from './load/wait-until-idle.ts'

const [few, many] = [100, 1_000]
const stored = 10_000
const turnMs = 3_000
const clients = 40
const content = 'as many words as people write in one message of a chat'

/** What one server on a folder needs as people and messages grow: disk, memory, processor. */
export async function measure(): Promise<Figure[]> {
  const server = await startBuiltServer({ env: withGarbageCollected })
  const { origin } = server
  const readMemory = async () => {
    await waitUntilIdle(origin)
    return (await readMetric(origin, 'process_resident_memory_bytes')) / 2 ** 10
  }
  const restart = async (env: Record<string, string> = {}) => {
    await server.kill()
    await server.start(env)
  }

  await server.kill()
  const people = await createCheapAccounts(server.dataDir, few)
  await server.start()
  const diskOfFew = await sumSizes(server.dataDir)
  const memoryOfFew = await readMemory()

  // Both copies of each, with their place: texts alone.
  for (let pair = 0; pair < 10; pair++) {
    const author = must(people[2 * pair], 'an author')
    const { userId } = must(people[2 * pair + 1], 'a reader')
    await pushMessages({ origin, author, recipientId: userId, count: stored / 10 })
  }
  await restart()
  const diskOfMessages = (await sumSizes(server.dataDir)) - diskOfFew
  const memoryOfMessages = await readMemory()

  // Without a garbage collection each second.
  await restart({ NODE_OPTIONS: '' })
  const loads: Load[] = []
  for (let turn = 0; turn < 3; turn++) {
    const load = await putLoad({
      origin,
      clients,
      forMs: turnMs,
      readProcessor: () => readMetric(origin, 'process_cpu_seconds_total'),
      ask: (client) => ({
        method: 'POST',
        path: '/api/messages',
        token: must(people[client], 'one').token,
        body: { recipientId: must(people[client ^ 1], 'a peer').userId, content },
      }),
    })
    // The first warms up.
    if (turn > 0) loads.push(load)
  }
  const { perSecond, processorMs } = describeLoad(joinLoads(loads))
  await server.close()

  const large = await startBuiltServer({ env: withGarbageCollected })
  await large.kill()
  await createCheapAccounts(large.dataDir, many)
  await large.start()
  const diskOfMany = await sumSizes(large.dataDir)
  await waitUntilIdle(large.origin)
  const memoryOfMany = (await readMetric(large.origin, 'process_resident_memory_bytes')) / 2 ** 10
  await large.close()

  return [
    { what: 'disk of a message, both copies', value: diskOfMessages / stored, unit: 'bytes' },
    { what: 'disk of a person', value: (diskOfMany - diskOfFew) / (many - few), unit: 'bytes' },
    {
      what: `memory after a start, ${few} people and ${stored} messages`,
      value: memoryOfMessages,
      unit: 'kB',
      floors: [{ what: 'and none', value: memoryOfFew }],
    },
    {
      what: `memory after a start, ${many} people and no message`,
      value: memoryOfMany,
      unit: 'kB',
      floors: [{ what: `${few} people`, value: memoryOfFew }],
    },
    { what: `messages by REST, ${clients} people at once`, value: perSecond, unit: 'messages/s' },
    { what: 'processor time of a message by REST', value: processorMs, unit: 'ms' },
    {
      what: 'messages by REST that one core carries',
      value: 1_000 / processorMs,
      unit: 'messages/s',
    },
  ]
}
