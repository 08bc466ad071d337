import { afterAll, beforeAll, describe, inject } from 'vitest'
import { startCouch } from '../../testing/couch/start-couch.ts'
import { startForeignCouch } from '../../testing/couch/start-foreign-couch.ts'
import { startLikeCouch } from '../../testing/couch/start-like-couch.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A CouchDB 3 of the person who runs the tests, with the login of a server admin in it; empty when there is none. */
    testCouchdbUrl: string
  }
}

/** A CouchDB that a test may do anything with. */
export interface TestCouch {
  /** With the login in it, where there is one. */
  url: string
  close(): Promise<void>
}

/**
 * Runs the same tests on every CouchDB at hand: pouchdb-server as it is, the same answering as CouchDB 3.5 does, and the
 * one of `TEST_COUCHDB_URL` where that is set.
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
