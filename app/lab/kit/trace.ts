import type { Held } from './invariants.ts'
import type { Exchange } from './request-faults.ts'

/** What happened, in order, without any content but what the devices showed. */
export type TraceEvent = { at: number } & (
  | { kind: 'step'; n: number; device: string | undefined; what: string }
  | {
      kind: 'request'
      device: string
      what: string
      until?: number
      status?: number
      fault?: string
    }
  | { kind: 'frame'; device: string; way: 'there' | 'back'; what: string }
  | { kind: 'look'; n: number; held: Record<string, Held> }
)

/** What a page draws: of a history, or of a real device. */
export interface Trace {
  devices: readonly string[]
  events: readonly TraceEvent[]
}

export type TraceRecorder = ReturnType<typeof createTrace>

export function createTrace(devices: readonly string[]) {
  const events: TraceEvent[] = []
  const begunAt = performance.now()
  const at = () => performance.now() - begunAt
  const requests = new Map<Exchange, Extract<TraceEvent, { kind: 'request' }>>()

  return {
    recordStep: (n: number, device: string | undefined, what: string) =>
      void events.push({ at: at(), kind: 'step', n, device, what }),
    recordExchange(device: string, exchange: Exchange) {
      const known = requests.get(exchange)
      if (!known) {
        const what = `${exchange.method} ${exchange.path}`
        const event = { at: at(), kind: 'request' as const, device, what }
        requests.set(exchange, event)
        events.push(event)
        return
      }
      known.until = at()
      if (exchange.status !== undefined) known.status = exchange.status
      const told = [...exchange.faults, ...(exchange.failure ? [exchange.failure] : [])].join(', ')
      if (told) known.fault = told
    },
    recordFrame: (device: string, way: 'there' | 'back', text: string) =>
      void events.push({ at: at(), kind: 'frame', device, way, what: text.slice(0, 40) }),
    recordLook: (n: number, held: ReadonlyMap<string, Held>) =>
      void events.push({ at: at(), kind: 'look', n, held: Object.fromEntries(held) }),
    read: (): Trace => ({ devices, events: [...events] }),
  }
}
