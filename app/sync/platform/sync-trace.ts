import { version } from '../../../schema/api/version.ts'
import { wireVersion } from '../../../schema/api/wire.ts'
import type { PageEvent, Platform } from './platform.ts'

/** What happened with the sync. `at`: ms since this tab was opened; `ids`: the last four signs of each document's id. */
export type SyncTraceEvent = { at: number } & (
  | {
      kind: 'request'
      what: string
      ids?: string[]
      until?: number
      status?: number
      hasFailed?: boolean
    }
  | { kind: 'frame'; way: 'there' | 'back'; what: string; ids: string[] }
  | { kind: 'line'; what: 'opening' | 'open' | 'closed' }
  | { kind: 'page'; what: PageEvent }
  | { kind: 'state'; what: string }
  /** Messages that this device has stored: its own that wait, and others. */
  | { kind: 'stored'; waiting: string[]; others: string[] }
)

/** What a file has of it. */
export interface SyncTrace {
  kind: 'petrel-sync-trace'
  format: 1
  app: string
  wire: number
  events: readonly SyncTraceEvent[]
}

export const traceEventsMax = 400
const idsMax = 12
/** Frames that carry documents, or say that some have to be asked for; typing and presence would fill the trace. */
const frames = [
  'changes',
  'changes-missed',
  'here',
  'push-documents',
  'push-answered',
  'pushes-taken',
  'receive-message',
]

const shorten = (id: string) => (/^[0-9a-f-]{36}$/.test(id) ? id.slice(-4) : '…')

/** Words stand there with escaped quotes, and so are no ids. */
function findIds(text: string): string[] {
  const found = new Set<string>()
  for (const [, id = ''] of text.matchAll(/"(?:_id|id|messageId)":"([^"\\]*)"/g)) {
    if (found.add(shorten(id)).size >= idsMax) break
  }
  return [...found]
}

function describeRequest(url: string, method: string): string {
  const [, collection, verb] = /\/sync\/(messages|conversations)\/(_[a-z_]+)/.exec(url) ?? []
  const feed = /[?&]feed=(longpoll|normal)\b/.exec(url)?.[1]
  const known = ['_bulk_docs', '_changes', '_all_docs', '_bulk_get'].find((one) => one === verb)
  return `${method} ${collection ? `${collection}/${known ?? 'other'}` : 'other'}${feed ? ` ${feed}` : ''}`
}

/**
 * Remembers the last few hundred events of the sync, for somebody who looks for a fault: times, kinds and ends of ids. No
 * word, name, token or address is ever kept, so none can leave with it.
 */
export function createSyncTrace(given: Platform) {
  const begunAt = performance.now()
  const events: SyncTraceEvent[] = []
  const at = () => Math.round(performance.now() - begunAt)

  function record(event: SyncTraceEvent) {
    events.push(event)
    if (events.length > traceEventsMax) events.shift()
  }
  function recordFrame(way: 'there' | 'back', data: unknown) {
    if (typeof data !== 'string') return
    const name = /^\{"event":"([a-z-]+)"/.exec(data)?.[1]
    const what = frames.find((one) => one === name)
    if (what) record({ at: at(), kind: 'frame', way, what, ids: findIds(data) })
  }

  class TracedSocket extends given.WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols)
      const tell = (what: 'opening' | 'open' | 'closed') => record({ at: at(), kind: 'line', what })
      tell('opening')
      // Node's sockets drop their listeners when an `onmessage` is set, which who made this one does at once.
      queueMicrotask(() => {
        this.addEventListener('open', () => tell('open'))
        this.addEventListener('close', () => tell('closed'))
        this.addEventListener('message', ({ data }) => recordFrame('back', data))
      })
    }
    override send(data: Parameters<WebSocket['send']>[0]) {
      recordFrame('there', data)
      super.send(data)
    }
  }

  const platform: Platform = {
    ...given,
    WebSocket: TracedSocket,
    async fetch(input, init) {
      const { method = 'GET', body } = init ?? {}
      const event: SyncTraceEvent = {
        at: at(),
        kind: 'request',
        what: describeRequest(String(input), method),
        ...(typeof body === 'string' && { ids: findIds(body) }),
      }
      record(event)
      try {
        const response = await given.fetch(input, init)
        return Object.assign(event, { status: response.status }) && response
      } catch (cause) {
        event.hasFailed = true
        throw cause
      } finally {
        event.until = at()
      }
    },
  }
  const stopListening = given.page.subscribe((what) => record({ at: at(), kind: 'page', what }))
  if (!given.page.isOnline()) record({ at: 0, kind: 'page', what: 'offline' })

  return {
    /** The same, and what goes over it is remembered. */
    platform,
    recordState(what: string) {
      const last = events.findLast(({ kind }) => kind === 'state')
      if (last?.kind !== 'state' || last.what !== what) record({ at: at(), kind: 'state', what })
    },
    recordStored(documents: readonly { _id: string; isWaiting: boolean }[]) {
      const list = (isWaiting: boolean) =>
        documents
          .filter((each) => each.isWaiting === isWaiting)
          .slice(0, idsMax)
          .map(({ _id }) => shorten(_id))
      record({ at: at(), kind: 'stored', waiting: list(true), others: list(false) })
    },
    read: (): SyncTrace => ({
      kind: 'petrel-sync-trace',
      format: 1,
      app: version,
      wire: wireVersion,
      events: [...events],
    }),
    close: stopListening,
  }
}
