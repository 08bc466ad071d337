import { type Account, registerAccount } from '../server/server-accounts.ts'
import { registerPerson } from './account-steps.ts'
import { type BrowserPerson, createPerson, type PersonOptions } from './person.ts'
import { type BuiltServer, startBuiltServer } from './start-built-server.ts'

export interface TwoPeople {
  server: BuiltServer
  ann: BrowserPerson
  ben: BrowserPerson
  close(): Promise<void>
}

/**
 * A new server, and Ann and Ben, registered, each at a browser with an empty list.
 * @param options Ann's browser
 * @param options.areAlike has Ben the same? Otherwise his shares what it can, and caches no app.
 */
export async function startTwoPeople({
  areAlike = false,
  ...options
}: PersonOptions & { areAlike?: boolean } = {}): Promise<TwoPeople> {
  const { keepsApp, hasOwnBrowser, hasWholeBrowser, ...plain } = options
  const server = await startBuiltServer()
  const [ann, ben] = await Promise.all([
    createPerson(server, 'ann', options),
    createPerson(server, 'ben', areAlike ? options : plain),
  ])
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

export interface AnnAlone {
  server: BuiltServer
  ann: BrowserPerson
  /** Has an account, and no device. */
  ben: Account & { username: string }
  close(): Promise<void>
}

/**
 * A new server, Ann at a browser, and Ben, who can be written to. A second browser that nobody looks at takes as much of
 * the processor as several tests.
 */
export async function startAnnAlone(options: PersonOptions = {}): Promise<AnnAlone> {
  const server = await startBuiltServer()
  const [ann, ben] = await Promise.all([
    createPerson(server, 'ann', options),
    registerAccount(server.origin, 'ben'),
  ])
  await registerPerson(ann)
  return {
    server,
    ann,
    ben: { ...ben, username: 'ben' },
    async close() {
      await ann.close()
      await server.close()
    },
  }
}
