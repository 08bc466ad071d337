import { registerPerson } from '../browser/account-steps.ts'
import { createPerson } from '../browser/create-person.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import type { Figure } from './figure.ts'
import { measureLibrarySize } from './measure-library-size.ts'
import { sumGzip } from './sum-gzip.ts'

/** The JavaScript that a signed-in person's browser loads before the list of conversations can be read. */
export async function measure(): Promise<Figure[]> {
  const server = await startBuiltServer()
  // The service worker fetches everything ahead; it is not what the first screen waits for.
  const ann = await createPerson(server, 'ann', { serviceWorkers: 'block' })
  await registerPerson(ann)
  await ann.page.goto('about:blank')
  // What the browser has at hand since the registration is not asked for, and would not be counted.
  const session = await ann.page.context().newCDPSession(ann.page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  const scripts = new Set<string>()
  ann.page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.add(request.url())
  })
  await ann.page.goto('/chat')
  await ann.page.getByRole('searchbox').waitFor()
  await ann.page.getByText('No chats available').waitFor()
  const loaded = await Promise.all([...scripts].map(readFile))
  await ann.close()
  await server.close()
  return [
    {
      what: 'JavaScript before the list is readable, gzip',
      value: sumGzip(loaded) / 1000,
      unit: 'kB',
      floors: [{ what: 'its libraries alone', value: (await measureLibrarySize()) / 1000 }],
      target: { atMost: 230 },
    },
  ]
}

async function readFile(url: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(url)).arrayBuffer())
}
