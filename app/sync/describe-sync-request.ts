/** A request of RxDB's CouchDB plugin, taken apart so that it can be put right. */
export interface SyncRequest {
  init: RequestInit
  /** Waits at the server until something changes. */
  isPoll: boolean
  /** Asks for changes. */
  isPull: boolean
  /** Asks for one page of what there is, and does not wait. */
  isCatchUp: boolean
  /** Offers documents. */
  isPush: boolean
  /** How many rows it asks for. */
  limit: number
  since: string | undefined
  /** While it waits at the server, something comes at least so often. */
  heartbeatMs: number
  /** Asks for what the server holds before a push; `keys` are the ids. */
  isLookUp: boolean
  keys: readonly string[]
  /** The address to ask, with what has been changed, encoded. */
  url(): string
}

export function describeSyncRequest(input: string, init: RequestInit = {}): SyncRequest {
  const [path = '', query = ''] = input.split('?')
  // The plugin joins names and values without encoding them.
  const values = new Map(
    query
      .split('&')
      .filter(Boolean)
      .map((pair) => {
        const at = pair.indexOf('=')
        return [pair.slice(0, at), pair.slice(at + 1)]
      }),
  )
  const feed = values.get('feed')
  const keys = values.get('keys')
  const isLookUp = path.endsWith('/_all_docs') && typeof init.body === 'string'
  // Many ids do not fit into an address: CouchDB takes them in a body as well.
  if (keys !== undefined) values.delete('keys')
  return {
    init: keys === undefined ? init : { ...init, method: 'POST', body: `{"keys":${keys}}` },
    isPoll: feed === 'longpoll',
    isPull: feed !== undefined,
    isCatchUp: feed === 'normal',
    isPush: path.endsWith('/_bulk_docs'),
    limit: Number(values.get('limit') ?? 0),
    since: values.get('since'),
    heartbeatMs: Number(values.get('heartbeat') ?? 0),
    isLookUp,
    keys: isLookUp ? readKeys(String(init.body)) : [],
    url() {
      if (this.since !== undefined) values.set('since', this.since)
      if (this.isPull) values.set('limit', `${this.limit}`)
      if (this.isPull && !this.isPoll) values.set('feed', 'normal')
      const pairs = [...values].map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      return pairs.length > 0 ? `${path}?${pairs.join('&')}` : path
    },
  }
}

/** The same question, answered at once. */
export function asCatchUp(request: SyncRequest): SyncRequest {
  return { ...request, isPoll: false }
}

function readKeys(body: string): readonly string[] {
  const { keys } = JSON.parse(body) as { keys?: string[] }
  return keys ?? []
}
