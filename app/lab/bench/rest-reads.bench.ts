import { must } from '../../../schema/helpers/assertions.ts'
import { type BuiltServer, startBuiltServer } from '../browser/start-built-server.ts'
import { type Account, pushMessages, registerAccount } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'

const [few, many] = [1_000, 30_000]
const rounds = 15
const starred = 20

interface Reader extends Account {
  peerId: string
}

const calls: Record<string, (reader: Reader) => string> = {
  'GET /messages/conversations': () => '/api/messages/conversations',
  'GET /messages/conversations/{id}/stats': ({ peerId }) =>
    `/api/messages/conversations/${peerId}/stats`,
  'GET /messages/starred': () => '/api/messages/starred',
}

/** What do the counting calls cost a person with much data, all of it unread? */
export async function measure(): Promise<Figure[]> {
  const server = await startBuiltServer()
  const readers = {
    few: await prepareReader(server, 'few', few),
    many: await prepareReader(server, 'many', many),
  }
  const figures: Figure[] = []
  for (const [what, pathOf] of Object.entries(calls)) {
    const took = { few: [] as number[], many: [] as number[] }
    // Alternating, so that the machine's other load affects both; the first turn is a warm-up.
    for (let round = 0; round <= rounds; round++) {
      for (const size of ['few', 'many'] as const) {
        const ms = await time(server, readers[size], pathOf(readers[size]))
        if (round > 0) took[size].push(ms)
      }
    }
    figures.push({
      what: `${what}, ${many} messages`,
      value: takePercentile(took.many, 0.5),
      unit: 'ms',
      floors: [{ what: `${few} messages`, value: takePercentile(took.few, 0.5) }],
      target: { atMost: 50 },
    })
  }
  await server.close()
  return figures
}

/** A person with the given number of messages from another. */
async function prepareReader(server: BuiltServer, name: string, count: number): Promise<Reader> {
  const { origin } = server
  const author = await registerAccount(origin, `${name}-author`)
  const reader = await registerAccount(origin, `${name}-reader`)
  await pushMessages({ origin, author, recipientId: reader.userId, count })
  const page = await ask(server, reader, `/api/messages/${author.userId}?limit=${starred}`)
  for (const { _id } of page as { _id: string }[]) {
    await ask(server, reader, `/api/messages/${_id}/star`, { isStarred: true })
  }
  return { ...reader, peerId: author.userId }
}

async function time(server: BuiltServer, reader: Reader, path: string): Promise<number> {
  const begun = performance.now()
  await ask(server, reader, path)
  return performance.now() - begun
}

async function ask({ origin }: BuiltServer, { token }: Account, path: string, put?: object) {
  const response = await fetch(`${origin}${path}`, {
    method: put ? 'PUT' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(put && { body: JSON.stringify(put) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return must(await response.json(), 'an answer')
}
