import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startCouch } from '../start-couch.ts'
import { startLosingProxy } from '../start-losing-proxy.ts'
import { startCouchLikeProxy } from './start-couch-like-proxy.ts'
import { testCouchdbUrl } from './test-couchdb-url.ts'

/** A CouchDB that a test may do anything with. */
export interface TestCouch {
  /** With the login in it, where there is one. */
  url: string
  close(): Promise<void>
}

/**
 * For tests: runs the same tests on every CouchDB at hand: pouchdb-server as it is, the same answering as CouchDB 3.5
 * does, and the one of `TEST_COUCHDB_URL`, where it is left out and named when there is none.
 */
export function describeCouches(title: string, body: (couch: TestCouch) => void) {
  const kinds = [
    { kind: 'pouchdb-server', start: startCouch },
    { kind: 'what answers like a CouchDB', start: startLikeCouch },
    { kind: 'the CouchDB of TEST_COUCHDB_URL', start: testCouchdbUrl && startForeign },
  ]
  for (const { kind, start } of kinds) {
    if (!start)
      describe.skip(`${title} on ${kind}, which is not set`, () =>
        void test('left out', () => undefined))
    else {
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
}

/** For tests: pouchdb-server, answering as CouchDB 3.5 does. */
export async function startLikeCouch() {
  const couch = await startCouch()
  const { close, ...proxy } = await startCouchLikeProxy(couch.url)
  return {
    ...proxy,
    async close() {
      await close()
      await couch.close()
    },
  }
}

/** Databases get names that nobody else's have, and are gone in the end. */
async function startForeign(): Promise<TestCouch> {
  const target = testCouchdbUrl ?? ''
  const prefix = `petrel-test-${randomUUID()}-`
  const rename = (path: string) => (/^\/[a-z]/.test(path) ? `/${prefix}${path.slice(1)}` : path)
  const proxy = await startLosingProxy(target, { rename })
  return {
    url: proxy.url,
    async close() {
      await proxy.close()
      await removeDatabases(target, prefix)
    },
  }
}

async function removeDatabases(target: string, prefix: string) {
  const root = new URL(target)
  const login = [root.username, root.password].map(decodeURIComponent).join(':')
  const headers = { authorization: `Basic ${Buffer.from(login).toString('base64')}` }
  Object.assign(root, { username: '', password: '' })
  const all: string[] = await (await fetch(new URL('_all_dbs', root), { headers })).json()
  const own = all.filter((name) => name.startsWith(prefix))
  await Promise.all(own.map((name) => fetch(new URL(name, root), { method: 'DELETE', headers })))
}
