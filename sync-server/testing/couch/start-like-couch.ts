import { startCouch } from './start-couch.ts'
import { startCouchLikeProxy } from './start-couch-like-proxy.ts'

/** For tests: pouchdb-server, answering as CouchDB 3.5 does. */
export async function startLikeCouch(options: { isAdmin?: boolean } = {}) {
  const couch = await startCouch()
  const { close, ...proxy } = await startCouchLikeProxy(couch.url, options)
  return {
    ...proxy,
    async close() {
      await close()
      await couch.close()
    },
  }
}
