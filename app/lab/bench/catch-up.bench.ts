import { readSession, registerPerson } from '../browser/account-steps.ts'
import { createPerson } from '../browser/person.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { pushMessages, registerAccount } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { measureBrowserPouch } from './floors/measure-browser-pouch.ts'
import { waitUntilStored } from './page/count-stored-messages.ts'
import { measuredBrowser } from './page/measured-browser.ts'

const missed = 10_000

/** Ben's browser missed 10,000 messages: how fast it receives them all. */
export async function measure(): Promise<Figure[]> {
  const server = await startBuiltServer({ env: { DURABILITY: 'relaxed' } })
  const ann = await registerAccount(server.origin, 'ann')
  const ben = await createPerson(server, 'ben', measuredBrowser)
  await registerPerson(ben)
  await ben.page.getByRole('searchbox').waitFor()
  await ben.goOffline()
  const recipientId = (await readSession(ben)).userId
  await pushMessages({ origin: server.origin, author: ann, recipientId, count: missed })

  const start = performance.now()
  await ben.goOnline()
  await waitUntilStored(ben.page, missed)
  const took = performance.now() - start

  // The app's remaining work on the new messages must not slow the floor.
  await ben.page.goto('about:blank')
  const floor = await measureBrowserPouch(await ben.openTab('/healthz'), 1_000)
  await ben.close()
  await server.close()
  const perSecond = (ms: number) => missed / (ms / 1000)
  return [
    {
      what: `${missed.toLocaleString('en')} missed messages caught up`,
      value: perSecond(took),
      unit: 'docs/s',
      floors: [{ what: 'PouchDB in the same browser', value: perSecond(floor) }],
      target: { atLeast: perSecond(floor) / 2 },
    },
  ]
}
