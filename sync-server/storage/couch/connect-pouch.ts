import http from 'pouchdb-adapter-http'
import PouchDB from 'pouchdb-core'
import { connect, type Pouch } from '../documents/pouch.ts'

// Registered here only, not for LevelDB: it loads browser cookies code, which costs a tenth of a
// second at start.
PouchDB.plugin(http)

/** Connects to a CouchDB database, without a request. @param url without a login */
export function connectPouch(url: string, fetch: CouchFetch): Pouch {
  const pouch = connect(url, { adapter: 'http', skip_setup: true, fetch })

  async function ask(path: string, init?: RequestInit) {
    const response = await fetch(`${url}/${path}`, init)
    const answer = await response.json()
    if (!response.ok) throw Object.assign(answer, { status: response.status })
    return answer
  }

  return Object.assign(pouch, {
    // PouchDB's own takes a refusal for an answer.
    info: () => ask(''),
    // PouchDB's own takes one failure for a server without this call. From then on it asks for each
    // file by itself, and gives `[object Blob]` for its bytes.
    bulkGet: ({ docs }: Parameters<Pouch['bulkGet']>[0]) =>
      ask('_bulk_get?revs=true&attachments=true', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ docs }),
      }),
  })
}

/** The http adapter's calls: always with the whole address. */
type CouchFetch = (url: string, init?: RequestInit) => Promise<Response>
