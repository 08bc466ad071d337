import { parseJson } from '../../../schema/helpers/parse-json.ts'
import { StorageUnavailable } from '../databases/storage-unavailable.ts'
import { answerInTime, type TimeLimits } from './answer-in-time.ts'
import { createLoginGuard } from './login-guard.ts'
import { LoginRefused } from './login-refused.ts'

const defaultLimits: TimeLimits = { silentMs: 15_000, longestMs: 5 * 60_000 }

/**
 * Requests to a CouchDB: with its login in a header, never in an address, and with time limits, so
 * that a silent connection blocks nobody forever.
 */
export function createCouchRequests(options: {
  couchdbUrl: string
  limits?: Partial<TimeLimits> | undefined
}) {
  const { couchdbUrl } = options
  const limits = { ...defaultLimits, ...options.limits }
  const { root, authorization } = splitLogin(couchdbUrl)
  const guard = createLoginGuard()
  const open = new Set<AbortController>()
  const state = { closed: undefined as StorageUnavailable | undefined }

  async function fetchInTime(url: string | URL, init: RequestInit = {}): Promise<Response> {
    if (state.closed) throw state.closed
    guard.check()
    const headers = new Headers(init.headers)
    if (authorization !== undefined) headers.set('authorization', authorization)
    const giveUp = new AbortController()
    open.add(giveUp)
    try {
      const response = await answerInTime({ url, init: { ...init, headers }, limits, giveUp })
      await guard.record(response)
      return response
    } finally {
      open.delete(giveUp)
    }
  }

  return {
    /** For PouchDB's http adapter. */
    fetch: fetchInTime,
    urlOf: (path: string) => new URL(path, root).href,
    /**
     * @returns the answer's JSON. @throws StorageUnavailable for a status that is neither 2xx nor
     * `accepted`
     */
    async send(
      method: string,
      path: string,
      { accepted = [] }: { accepted?: readonly number[] } = {},
    ): Promise<unknown> {
      const url = new URL(path, root)
      const response = await fetchInTime(url, { method })
      const answer = parseJson(await response.text())
      if (answer === undefined) {
        throw new StorageUnavailable(`What answers at ${root.origin} is no CouchDB.`)
      }
      if (response.ok || accepted.includes(response.status)) return answer
      const { reason = '' } = answer as { reason?: string }
      throw describeRefusal(response.status, `${method} ${url.pathname}`, reason)
    },
    /** After `withinMs` cancels pending requests and fails new ones. */
    abortIn(withinMs: number) {
      setTimeout(() => {
        const closed = new StorageUnavailable('storage is closed')
        state.closed = closed
        for (const giveUp of open) giveUp.abort(closed)
      }, withinMs).unref()
    },
  }
}

function describeRefusal(status: number, asked: string, reason: string) {
  return status === 401 || status === 403
    ? new LoginRefused(
        `The login in COUCHDB_URL may not do what the server has to (${asked}): ${reason} Give it a server admin’s.`,
      )
    : new StorageUnavailable(`CouchDB answered ${status} to ${asked}: ${reason}`)
}

function splitLogin(couchdbUrl: string) {
  const root = new URL(couchdbUrl.endsWith('/') ? couchdbUrl : `${couchdbUrl}/`)
  const [username, password] = [root.username, root.password].map(decode)
  Object.assign(root, { username: '', password: '' })
  const login = Buffer.from(`${username}:${password}`).toString('base64')
  return { root, authorization: username === '' ? undefined : `Basic ${login}` }
}

/** A `%` without a valid code stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
