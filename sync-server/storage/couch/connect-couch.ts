import { parseJson } from '../../../schema/helpers/json.ts'
import type { AskedChanges, Database, DocumentWrite } from '../documents/database.ts'
import type { ChangesPage, Document } from '../documents/documents.ts'
import { StorageUnavailable } from '../documents/storage-errors.ts'

/** Each answer has to come in time. */
const changesAtOnce = 1_000

/** Always with the whole address. */
type CouchFetch = (url: string, init?: RequestInit) => Promise<Response>

type AllDocs = Awaited<ReturnType<Database['allDocs']>>

type Query = Readonly<Record<string, string | number | boolean | undefined>>

/**
 * A CouchDB's database by its HTTP interface, without a request at first. Its refusals are thrown as
 * it words them, with their `status`.
 * @param url without a login
 */
export function connectCouch(url: string, fetch: CouchFetch): Database {
  async function request(path: string, query: Query, init: RequestInit): Promise<Response> {
    const asked = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) asked.set(name, String(value))
    }
    const response = await fetch(`${url}/${path}${asked.size > 0 ? `?${asked}` : ''}`, init)
    if (response.ok) return response
    const { status } = response
    const words = parseJson(await response.text())
    throw Object.assign(typeof words === 'object' && words !== null ? words : {}, { status })
  }

  async function read(response: Response) {
    const answer = parseJson(await response.text())
    if (answer !== undefined) return answer as never
    throw new StorageUnavailable(`What answers at ${new URL(url).origin} is no CouchDB.`)
  }

  const accept = 'application/json'
  const ask = async (path: string, query: Query = {}) =>
    await read(await request(path, query, { headers: { accept } }))
  const send = async (method: 'POST' | 'PUT', path: string, body: object, query: Query = {}) => {
    const headers = { accept, 'content-type': 'application/json' }
    return await read(await request(path, query, { method, headers, body: JSON.stringify(body) }))
  }

  async function readPages(asked: AskedChanges): Promise<ChangesPage<Document>> {
    const { limit = changesAtOnce, since, ...rest } = asked
    const page: ChangesPage<Document> = await ask('_changes', { ...rest, since, limit })
    if (asked.limit !== undefined || page.results.length < limit) return page
    const { results, last_seq } = await readPages({ ...asked, since: page.last_seq })
    return { results: [...page.results, ...results], last_seq }
  }

  return {
    isRemote: true,
    get: (id: string, options: Query = {}) => ask(pathOf(id), options),
    put: (doc) => send('PUT', pathOf(doc._id), doc),
    async bulkDocs(docs, { new_edits = true } = {}) {
      const rows: Awaited<ReturnType<Database['bulkDocs']>> = await send('POST', '_bulk_docs', {
        docs,
        new_edits,
      })
      return new_edits ? rows : rows.filter((row) => 'error' in row)
    },
    async readAll(ids) {
      if (ids.size === 0) return new Map()
      const query = { include_docs: true }
      const { rows }: AllDocs = await send('POST', '_all_docs', { keys: [...ids] }, query)
      return new Map(rows.flatMap(({ doc }) => (doc ? [[doc._id, doc] as const] : [])))
    },
    async allDocs({ startkey, endkey, ...rest }) {
      return await ask('_all_docs', {
        ...rest,
        startkey: startkey && JSON.stringify(startkey),
        endkey: endkey && JSON.stringify(endkey),
      })
    },
    changes: readPages,
    revsDiff: (revs) => send('POST', '_revs_diff', revs),
    bulkGet: (docs) => send('POST', '_bulk_get', { docs }, { revs: true, attachments: true }),
    async putAttachment(id, name, bytes, type) {
      const headers = { accept, 'content-type': type }
      const body = new Uint8Array(bytes)
      const path = `${pathOf(id)}/${encodeURIComponent(name)}`
      return await read(await request(path, {}, { method: 'PUT', headers, body }))
    },
    async getAttachment(id, name) {
      const response = await request(`${pathOf(id)}/${encodeURIComponent(name)}`, {}, {})
      return Buffer.from(await response.arrayBuffer())
    },
    info: () => ask(''),
  }
}

/** CouchDB's own kinds keep the slash behind their first part. */
function pathOf(id: DocumentWrite['_id']): string {
  const [, kind = '', name = id] = /^(_local\/|_design\/)(.*)$/s.exec(id) ?? []
  return kind + encodeURIComponent(name)
}
