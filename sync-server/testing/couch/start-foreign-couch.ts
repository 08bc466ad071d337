import { randomUUID } from 'node:crypto'
import { createCouchRequests } from '../../storage/couch/couch-home.ts'
import { startLosingProxy } from './start-losing-proxy.ts'

/**
 * For tests: somebody's own CouchDB. Uses uniquely named databases and removes them in the end;
 * touches nothing else there.
 * @param url with a server admin's login
 */
export async function startForeignCouch(url: string) {
  const prefix = `petrel-test-${randomUUID()}-`
  const rename = (path: string) => (/^\/[a-z]/.test(path) ? `/${prefix}${path.slice(1)}` : path)
  const proxy = await startLosingProxy(url, { rename })
  const requests = createCouchRequests({ couchdbUrl: url })
  return {
    url: proxy.url,
    async close() {
      await proxy.close()
      const names = (await requests.send('GET', '_all_dbs')) as string[]
      const own = names.filter((name) => name.startsWith(prefix))
      await Promise.all(own.map((name) => requests.send('DELETE', name, { accepted: [404] })))
    },
  }
}
