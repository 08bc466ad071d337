import http from 'pouchdb-adapter-http'
import PouchDB from 'pouchdb-core'
import { connect, type Pouch } from '../documents/pouch.ts'

// Registered here only, not for LevelDB: it loads browser cookies code, which costs a tenth of a
// second at start.
PouchDB.plugin(http)

/** Connects to a CouchDB database, without a request. @param url without a login */
export function connectPouch(url: string, fetch: CouchFetch): Pouch {
  const pouch = connect(url, { adapter: 'http', skip_setup: true, fetch })
  // PouchDB's own takes a refusal for an answer.
  return Object.assign(pouch, {
    async info() {
      const response = await fetch(`${url}/`)
      const answer = await response.json()
      if (!response.ok) throw Object.assign(answer, { status: response.status })
      return answer
    },
  })
}

/** The http adapter's calls: always with the whole address. */
type CouchFetch = (url: string, init?: RequestInit) => Promise<Response>
