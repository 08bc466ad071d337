import type { DatabaseHome } from './database-home.ts'
import { isPersonalDatabase } from './database-names.ts'
import { openPouch } from './pouch.ts'

const requestTimeoutMs = 15_000

/** Databases in a CouchDB 3. @param couchdbUrl its root, with user and password in it where it asks for them */
export function createCouchHome(options: { couchdbUrl: string }): DatabaseHome {
  const root = new URL(
    options.couchdbUrl.endsWith('/') ? options.couchdbUrl : `${options.couchdbUrl}/`,
  )
  const login = `${decodeURIComponent(root.username)}:${decodeURIComponent(root.password)}`
  const headers: Record<string, string> =
    login === ':' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` }

  async function request(method: string, path: string, accepted: readonly number[]) {
    const url = new URL(path, root)
    url.username = ''
    url.password = ''
    const signal = AbortSignal.timeout(requestTimeoutMs)
    const response = await fetch(url, { method, headers, signal })
    await response.arrayBuffer()
    if (response.ok || accepted.includes(response.status)) return
    throw new Error(`CouchDB answered ${response.status} to ${method} ${url.pathname}`)
  }

  return {
    async open(name) {
      // 412: it is there. One shard is enough for one person; the default would cost two files more.
      await request('PUT', isPersonalDatabase(name) ? `${name}?q=1` : name, [412])
      return await openPouch(new URL(name, root).href, { adapter: 'http', skip_setup: true })
    },
    async destroy(name) {
      await request('DELETE', name, [404])
    },
    async ready() {
      await request('GET', '', [])
    },
    countSyncedWrites: () => 0,
  }
}
