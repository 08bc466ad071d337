import { must } from '../../../schema/helpers/assertions.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { readMetric } from '../server/read-metric.ts'
import { type Account, registerAccount } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { putLoad } from './load/put-load.ts'

const pairs = 50
const content = 'as many words as people write in one message of a chat'

/**
 * Disk waits of the server per acknowledged message: with one author, and with fifty in parallel.
 */
export async function measure(): Promise<Figure[]> {
  const { origin, close } = await startBuiltServer({ env: { DURABILITY: 'sync' } })
  const people: Account[] = []
  for (let index = 0; index < 2 * pairs; index++) {
    people.push(await registerAccount(origin, `person${index}`))
  }
  const person = (index: number) => must(people[index], 'a person')
  const readWaits = () => readMetric(origin, 'petrel_synced_writes_total')

  async function measureWaits(authors: number): Promise<number> {
    const load = {
      origin,
      clients: authors,
      readProcessor: async () => 0,
      ask: (author: number) => ({
        method: 'POST' as const,
        path: '/api/messages',
        token: person(2 * author).token,
        body: { recipientId: person(2 * author + 1).userId, content },
      }),
    }
    // First messages create their conversation, and open closed databases.
    await putLoad({ ...load, forMs: 1_000 })
    const before = await readWaits()
    const { tookMs } = await putLoad(load)
    return ((await readWaits()) - before) / tookMs.length
  }
  const [alone, together] = [await measureWaits(1), await measureWaits(pairs)]
  await close()
  return [
    {
      what: 'waits for the disk for each message, one author alone',
      value: alone,
      unit: 'waits',
      target: { atMost: 1.05 },
    },
    {
      what: `waits for the disk for each message, ${pairs} pairs at once`,
      value: together,
      unit: 'waits',
      target: { atMost: 0.1 },
    },
  ]
}
