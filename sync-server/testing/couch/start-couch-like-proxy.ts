import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type PlainChange, spreadChanges } from './couch-like-changes.ts'
import { packSeqs, unpackSeqs } from './couch-like-seqs.ts'

interface Asked {
  method: string
  /** The decoded parts of the path. */
  path: string[]
  query: URLSearchParams
  headers: Record<string, string>
  body: Buffer
}

interface Answer {
  status: number
  body: unknown
}

const login = { username: 'petrel', password: 'p:ss %wörd' }
const wrongPasswordsMax = 5
const shardsByDefault = 2
const everything = 1_000_000

/**
 * For tests: a pouchdb-server answering as CouchDB 3.5 where they differ. Requires a login and
 * locks out guessers, gives opaque seqs and two shards' unordered changes, rejects undecodable
 * seqs, checks no `_local` revisions, and words errors like CouchDB.
 * @param target a pouchdb-server without other writers
 * @param isAdmin false: the login may use databases, but not create any
 */
export async function startCouchLikeProxy(
  target: string,
  { isAdmin = true }: { isAdmin?: boolean } = {},
) {
  const state = { wrongPasswords: 0, forbidden: undefined as RegExp | undefined }
  const databases = new Map<string, { history: string; shards: number }>()
  const locals = new Map<string, Record<string, unknown>>()
  const right = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`

  function refuseLogin({ headers }: Asked): Answer | undefined {
    const given = headers.authorization
    if (given === undefined) return refuse(401, 'unauthorized', 'Authentication required.')
    if (state.wrongPasswords >= wrongPasswordsMax) {
      const words = 'Account is temporarily locked due to multiple authentication failures'
      return refuse(403, 'forbidden', words)
    }
    if (given === right) return undefined
    state.wrongPasswords += 1
    return refuse(401, 'unauthorized', 'Name or password is incorrect.')
  }

  async function answer(asked: Asked): Promise<Answer> {
    const refused = refuseLogin(asked)
    if (refused) return refused
    const { method, path } = asked
    const [name, part = '', ...rest] = path
    if (name === undefined) {
      return ok({
        couchdb: 'Welcome',
        version: '3.5.0',
        vendor: { name: 'The Apache Software Foundation' },
      })
    }
    if (name.startsWith('_')) return await pass(asked)
    if (part === '' && method !== 'GET') return await changeDatabases(asked, name)
    if (!(await isThere(name))) return refuse(404, 'not_found', 'Database does not exist.')
    switch (part) {
      case '':
        return await tellInfo(name)
      case '_changes':
        return await tellChanges(asked, name)
      case '_local':
        return changeLocal(asked, `${name}/${rest.join('/')}`)
      case '_bulk_docs':
        return await writeMany(asked)
      case '_bulk_get':
        return await readMany(asked)
      case '_revs_diff':
        return await compareRevs(asked)
      default:
        return await readOrWriteOne(asked)
    }
  }

  async function isThere(name: string): Promise<boolean> {
    if (databases.has(name)) return true
    const { status } = await ask(`${target}${name}`)
    if (status === 200) databases.set(name, { history: randomUUID(), shards: shardsByDefault })
    return status === 200
  }

  async function changeDatabases({ method, query }: Asked, name: string): Promise<Answer> {
    if (!isAdmin) return refuse(401, 'unauthorized', 'You are not a server admin.')
    const wasThere = await isThere(name)
    if (method === 'DELETE') {
      if (!wasThere) return refuse(404, 'not_found', 'Database does not exist.')
      databases.delete(name)
      for (const key of locals.keys()) if (key.startsWith(`${name}/`)) locals.delete(key)
      return await ask(`${target}${name}`, { method })
    }
    if (wasThere) {
      const words = 'The database could not be created, the file already exists.'
      return refuse(412, 'file_exists', words)
    }
    const { status, body } = await ask(`${target}${name}`, { method })
    const shards = Number(query.get('q') ?? shardsByDefault)
    databases.set(name, { history: randomUUID(), shards })
    return { status, body }
  }

  function startOf(name: string, place = 0) {
    const { history, shards } = databases.get(name) ?? { history: '', shards: 1 }
    return { history, shards: Array.from({ length: shards }, () => place) }
  }

  async function readNewest(name: string): Promise<number> {
    const { body } = await ask(`${target}${name}`)
    return Number((body as { update_seq: number }).update_seq)
  }

  async function tellInfo(name: string): Promise<Answer> {
    const { body } = await ask(`${target}${name}`)
    const info = body as { update_seq: number }
    return ok({ ...info, update_seq: packSeqs(startOf(name, info.update_seq)) })
  }

  async function tellChanges(asked: Asked, name: string): Promise<Answer> {
    const given = asked.query.get('since') ?? '0'
    const newest = await readNewest(name)
    const start = startOf(name, given === 'now' ? newest : 0)
    const unpacked = given === '0' || given === 'now' ? start : unpackSeqs(given)
    if (!unpacked) {
      return refuse(400, 'bad_request', "Malformed sequence supplied in 'since' parameter.")
    }
    // Places of another history do not count.
    const since = unpacked.history === start.history ? unpacked : start
    const limit = Number(asked.query.get('limit') ?? everything)
    const query = new URLSearchParams(asked.query)
    query.set('since', String(Math.min(...since.shards)))
    query.delete('limit')
    const { body } = await pass({ ...asked, query })
    const { results } = body as { results: PlainChange[] }
    return ok(spreadChanges({ rows: results, newest, since, limit: Math.max(limit, 1) }))
  }

  function changeLocal({ method, body }: Asked, key: string): Answer {
    const stored = locals.get(key)
    if (method === 'GET') return stored ? ok(stored) : refuse(404, 'not_found', 'missing')
    const { _rev, ...doc } = JSON.parse(String(body))
    const before = _rev === undefined ? ['', '0'] : /^0-(\d+)$/.exec(String(_rev))
    if (!before) return refuse(400, 'bad_request', 'Invalid rev format')
    const id = `_local/${key.slice(key.indexOf('/') + 1)}`
    const rev = `0-${Number(before[1]) + 1}`
    if (doc._deleted === true) locals.delete(key)
    else locals.set(key, { ...doc, _id: id, _rev: rev })
    return { status: 201, body: { ok: true, id, rev } }
  }

  async function writeMany(asked: Asked): Promise<Answer> {
    const { docs, ...rest } = JSON.parse(String(asked.body)) as { docs: { _id: string }[] }
    const isForbidden = ({ _id }: { _id: string }) => state.forbidden?.test(_id) === true
    const allowed = docs.filter((doc) => !isForbidden(doc))
    const body = Buffer.from(JSON.stringify({ ...rest, docs: allowed }))
    const answered = await pass({ ...asked, body })
    if (!Array.isArray(answered.body)) return answered
    const isReplicated = 'new_edits' in rest && rest.new_edits === false
    const rows = answered.body.values()
    const all = docs.flatMap((doc): unknown[] => {
      const { _id: id } = doc
      if (isForbidden(doc)) return [{ id, error: 'forbidden', reason: 'This is not taken here.' }]
      return isReplicated ? [] : [rows.next().value]
    })
    return { status: 201, body: all }
  }

  async function readMany(asked: Asked): Promise<Answer> {
    const answered = await pass(asked)
    const { results } = answered.body as { results: { id: string; docs: { missing?: string }[] }[] }
    const inWords = (id: string) => (doc: { missing?: string }) =>
      doc.missing === undefined
        ? doc
        : { error: { id, rev: doc.missing, error: 'not_found', reason: 'missing' } }
    return ok({ results: results.map(({ id, docs }) => ({ id, docs: docs.map(inWords(id)) })) })
  }

  async function compareRevs(asked: Asked): Promise<Answer> {
    const revs = Object.values(JSON.parse(String(asked.body))).flat()
    return revs.every(isRev) ? await pass(asked) : invalidRev()
  }

  async function readOrWriteOne(asked: Asked): Promise<Answer> {
    const { query } = asked
    const openRevs = query.get('open_revs') ?? 'all'
    const revs = [query.get('rev') ?? [], openRevs === 'all' ? [] : readList(openRevs)].flat()
    return revs.every(isRev) ? await pass(asked) : invalidRev()
  }

  async function pass({ method, path, query, headers, body }: Asked): Promise<Answer> {
    const url = new URL(path.map(encodeURIComponent).join('/'), target)
    url.search = query.toString()
    const { 'content-type': type = 'application/json', accept = 'application/json' } = headers
    const hasBody = method !== 'GET' && method !== 'HEAD' && body.length > 0
    return await ask(url, {
      method,
      headers: { 'content-type': type, accept },
      ...(hasBody && { body: new Uint8Array(body) }),
    })
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse) {
    const { status, body } = await readAsked(incoming)
      .then(answer)
      .catch((error: unknown) => refuse(500, 'unknown_error', String(error)))
    const isBinary = Buffer.isBuffer(body)
    const type = isBinary ? 'application/octet-stream' : 'application/json'
    outgoing.writeHead(status, { 'content-type': type })
    outgoing.end(isBinary ? body : JSON.stringify(body))
  }

  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  /** The same address with another login. */
  function urlFor({ username, password }: { username: string; password: string }): string {
    const url = new URL(`http://127.0.0.1:${port}/`)
    url.username = encodeURIComponent(username)
    url.password = encodeURIComponent(password)
    return url.href
  }

  return {
    /** With the login in it. */
    url: urlFor(login),
    urlFor,
    login,
    countWrongPasswords: () => state.wrongPasswords,
    /** Refuses documents with such an id individually. */
    forbid(ids: RegExp) {
      state.forbidden = ids
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function readAsked(incoming: IncomingMessage): Promise<Asked> {
  const { method = 'GET', headers, url = '/' } = incoming
  const { pathname, searchParams } = new URL(url, 'http://couch')
  return {
    method,
    path: pathname.split('/').filter(Boolean).map(decodeURIComponent),
    query: searchParams,
    headers: headers as Record<string, string>,
    body: await buffer(incoming),
  }
}

async function ask(url: string | URL, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { headers: { accept: 'application/json' }, ...init })
  const isJson = response.headers.get('content-type')?.includes('json')
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, body: isJson ? JSON.parse(String(bytes)) : bytes }
}

const ok = (body: unknown): Answer => ({ status: 200, body })

function refuse(status: number, error: string, reason: string): Answer {
  return { status, body: { error, reason } }
}

const invalidRev = () => refuse(400, 'bad_request', 'Invalid rev format')

const isRev = (rev: unknown) => typeof rev === 'string' && /^\d+-./.test(rev)

function readList(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list : [list]
  } catch {
    return [undefined]
  }
}
