import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { readSession, registerPerson } from '../browser/account-steps.ts'
import { createPerson } from '../browser/person.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { type Account, pushMessages, registerAccount } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { waitUntilStored } from './page/count-stored-messages.ts'
import { measuredBrowser } from './page/measured-browser.ts'

const missed = 350
const bytesPerSecond = 5_000
const bytesPerKb = 1_000

const pack = promisify(gzip)

/** Ben's phone missed 350 messages, and returns on a 5 kB/s line with the chat open. */
export async function measure(): Promise<Figure[]> {
  const server = await startBuiltServer()
  const { origin } = server
  const ann = await registerAccount(origin, 'ann')
  const ben = await createPerson(server, 'ben', measuredBrowser)
  await registerPerson(ben)
  const { userId: recipientId, token } = await readSession(ben)
  await pushMessages({ origin, author: ann, recipientId, count: 1 })
  await ben.page.goto(`/chat/${ann.userId}`)
  await ben.page.getByText('message 1 of 1').first().waitFor()
  await waitUntilStored(ben.page, 1)
  await ben.goOffline()
  await pushMessages({ origin, author: ann, recipientId, count: missed })

  ben.network.slow(bytesPerSecond)
  const before = ben.network.countBytes()
  const start = performance.now()
  await ben.goOnline()
  await ben.page
    .getByText(new RegExp(`message \\d+ of ${missed},`))
    .first()
    .waitFor()
  const firstMs = performance.now() - start
  await waitUntilStored(ben.page, missed + 1)
  const allMs = performance.now() - start
  const bytes = ben.network.countBytes() - before

  const documents = await readDocuments(origin, { userId: recipientId, token })
  const floor = (await pack(JSON.stringify(documents.slice(1)))).length
  await ben.close()
  await server.close()
  const what = `${missed} missed messages on a line of 5 kB/s`
  const floors = [{ what: 'the documents compressed', value: (floor / bytesPerSecond) * 1_000 }]
  const shareMs = ((floor / missed) * 1_000) / bytesPerSecond
  return [
    {
      what: `${what}: the first is on the screen`,
      value: firstMs,
      unit: 'ms',
      target: { atMost: 15_000 },
      floors: [{ what: 'one document compressed', value: shareMs }],
    },
    { what: `${what}: all are here`, value: allMs, unit: 'ms', floors, target: { atMost: 60_000 } },
    {
      what: `${what}: all that came over the line`,
      value: bytes / bytesPerKb,
      unit: 'kB',
      floors: [{ what: 'the documents compressed', value: floor / bytesPerKb }],
      target: { atMost: (1.3 * floor) / bytesPerKb },
    },
  ]
}

async function readDocuments(origin: string, { token }: Account): Promise<unknown[]> {
  const response = await fetch(`${origin}/sync/messages/_all_docs?include_docs=true`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { rows } = (await response.json()) as { rows: { doc: unknown }[] }
  return rows.map(({ doc }) => doc)
}
