import { StorageUnavailable } from '../storage-unavailable.ts'

const defaultTimeoutMs = 15_000

/**
 * Requests to a CouchDB: with its login in a header, and each with a time limit, so that a connection that has gone
 * silent holds up nobody for good.
 */
export function createCouchRequests(options: {
  couchdbUrl: string
  timeoutMs?: number | undefined
}) {
  const { couchdbUrl, timeoutMs = defaultTimeoutMs } = options
  const root = new URL(couchdbUrl.endsWith('/') ? couchdbUrl : `${couchdbUrl}/`)
  const login = `${decodeURIComponent(root.username)}:${decodeURIComponent(root.password)}`
  root.username = ''
  root.password = ''
  const closing = new AbortController()

  async function fetchInTime(
    url: string | URL | Request,
    init: RequestInit = {},
  ): Promise<Response> {
    const headers = new Headers(init.headers)
    if (login !== ':') {
      headers.set('authorization', `Basic ${Buffer.from(login).toString('base64')}`)
    }
    const signals = [closing.signal, AbortSignal.timeout(timeoutMs), init.signal ?? closing.signal]
    return await fetch(url, { ...init, headers, signal: AbortSignal.any(signals) })
  }

  return {
    /** For PouchDB's http adapter. */
    fetch: fetchInTime,
    urlOf: (path: string) => new URL(path, root).href,
    /** @returns the answer's JSON. @throws StorageUnavailable for a status that is neither good nor `accepted` */
    async send(
      method: string,
      path: string,
      { accepted = [] }: { accepted?: readonly number[] } = {},
    ): Promise<unknown> {
      const url = new URL(path, root)
      const response = await fetchInTime(url, { method })
      const text = await response.text()
      if (!response.ok && !accepted.includes(response.status)) {
        throw new StorageUnavailable(
          `CouchDB answered ${response.status} to ${method} ${url.pathname}`,
        )
      }
      return text === '' ? undefined : JSON.parse(text)
    },
    /** Gives up what is under way; whatever comes later fails. */
    abort: () => closing.abort(new StorageUnavailable('storage is closed')),
  }
}
