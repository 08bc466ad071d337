import { afterAll, beforeAll, describe, inject } from 'vitest'
import { startCouch } from '../../testing/couch/start-couch.ts'
import { startForeignCouch } from '../../testing/couch/start-foreign-couch.ts'
import { startLikeCouch } from '../../testing/couch/start-like-couch.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The tester's own CouchDB 3, with a server admin's login in the URL; empty when there is none.
     */
    testCouchdbUrl: string
  }
}

/** A CouchDB for tests, to use in any way. */
export interface TestCouch {
  /** With the login in it, if there is one. */
  url: string
  close(): Promise<void>
}

/**
 * Runs the same tests on every available CouchDB: plain pouchdb-server, the same answering as
 * CouchDB 3.5, and `TEST_COUCHDB_URL` if set.
 */
export function describeCouches(title: string, body: (couch: TestCouch) => void) {
  const foreignUrl = inject('testCouchdbUrl')
  const kinds: [string, () => Promise<TestCouch>][] = [
    ['pouchdb-server', startCouch],
    ['what answers like a CouchDB', startLikeCouch],
  ]
  if (foreignUrl)
    kinds.push(['the CouchDB of TEST_COUCHDB_URL', () => startForeignCouch(foreignUrl)])
  for (const [kind, start] of kinds) {
    describe(`${title} on ${kind}`, () => {
      const running = {} as TestCouch
      beforeAll(async () => {
        const { url, close } = await start()
        Object.assign(running, { url, close })
      })
      afterAll(() => running.close())
      body(running)
    })
  }
}
