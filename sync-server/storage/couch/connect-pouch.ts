import http from 'pouchdb-adapter-http'
import PouchDB from 'pouchdb-core'
import { connect, type Pouch } from '../documents/pouch.ts'

// Here, and not where LevelDB is opened: it brings a browser's cookies along, which cost a tenth of a second of a start.
PouchDB.plugin(http)

/** A database in a CouchDB, of which nothing is asked yet. @param url without a login */
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

/** As the http adapter asks: always with the whole address. */
type CouchFetch = (url: string, init?: RequestInit) => Promise<Response>
