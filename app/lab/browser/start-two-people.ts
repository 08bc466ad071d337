import type { BrowserContextOptions } from 'playwright-core'
import { registerPerson } from './account-steps.ts'
import { type BrowserPerson, createPerson } from './create-person.ts'
import { type BuiltServer, startBuiltServer } from './start-built-server.ts'

export interface TwoPeople {
  server: BuiltServer
  ann: BrowserPerson
  ben: BrowserPerson
  close(): Promise<void>
}

/** A new server, and Ann and Ben at a browser each, registered and looking at their empty lists. */
export async function startTwoPeople(options: BrowserContextOptions = {}): Promise<TwoPeople> {
  const server = await startBuiltServer()
  const ann = await createPerson(server, 'ann', options)
  const ben = await createPerson(server, 'ben', options)
  await registerPerson(ann)
  await registerPerson(ben)
  return {
    server,
    ann,
    ben,
    async close() {
      await Promise.all([ann.close(), ben.close()])
      await server.close()
    },
  }
}
