import { registerPerson } from './account-steps.ts'
import { type BrowserPerson, createPerson, type PersonOptions } from './person.ts'
import { type BuiltServer, startBuiltServer } from './start-built-server.ts'

export interface TwoPeople {
  server: BuiltServer
  ann: BrowserPerson
  ben: BrowserPerson
  close(): Promise<void>
}

/** A new server, and Ann and Ben, registered, each at a browser with an empty list. */
export async function startTwoPeople(options: PersonOptions = {}): Promise<TwoPeople> {
  const server = await startBuiltServer()
  const people = ['ann', 'ben'].map((name) => createPerson(server, name, options))
  const [ann, ben] = (await Promise.all(people)) as [BrowserPerson, BrowserPerson]
  await Promise.all([registerPerson(ann), registerPerson(ben)])
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
