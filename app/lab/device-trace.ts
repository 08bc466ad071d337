import * as z from 'zod/mini'
import type { Step } from './draw-history.ts'
import type { Trace, TraceEvent } from './kit/trace.ts'

const at = z.number()
const ids = z.array(z.string())
/** What the app writes in `app/sync/platform/sync-trace.ts`; the file has been in strangers' hands. */
const deviceTrace = z.object({
  kind: z.literal('petrel-sync-trace'),
  format: z.literal(1),
  app: z.string(),
  wire: z.number(),
  events: z.array(
    z.discriminatedUnion('kind', [
      z.object({
        at,
        kind: z.literal('request'),
        what: z.string(),
        ids: z.optional(ids),
        until: z.optional(z.number()),
        status: z.optional(z.number()),
        hasFailed: z.optional(z.boolean()),
      }),
      z.object({
        at,
        kind: z.literal('frame'),
        way: z.enum(['there', 'back']),
        what: z.string(),
        ids,
      }),
      z.object({ at, kind: z.enum(['line', 'page', 'state']), what: z.string() }),
      z.object({ at, kind: z.literal('stored'), waiting: ids, others: ids }),
    ]),
  ),
})

export type DeviceTrace = z.infer<typeof deviceTrace>

/** @throws with words when this is no trace of this format */
export function parseDeviceTrace(text: string): DeviceTrace {
  const parsed = deviceTrace.safeParse(JSON.parse(text))
  if (!parsed.success) throw new Error('This is no sync trace, or one of another version.')
  return parsed.data
}

/** As the kit's page draws it: one device, and the server. */
export function traceOfDevice({ events }: DeviceTrace): Trace {
  const device = 'this device'
  const withIds = (what: string, some: readonly string[] = []) => [what, ...some].join(' ')
  return {
    devices: [device],
    events: events.map((event): TraceEvent => {
      const note = (what: string) =>
        ({ at: event.at, kind: 'step', n: -1, device, what }) satisfies TraceEvent
      switch (event.kind) {
        case 'request': {
          const { until, status, hasFailed } = event
          const fault = hasFailed
            ? 'the network is gone'
            : status !== undefined && status >= 400
              ? 'refused'
              : undefined
          return {
            at: event.at,
            kind: 'request',
            device,
            what: withIds(event.what, event.ids),
            ...(until !== undefined && { until }),
            ...(status !== undefined && { status }),
            ...(fault && { fault }),
          }
        }
        case 'frame':
          return { ...event, device, what: withIds(event.what, event.ids) }
        case 'stored':
          return note(
            [
              event.waiting.length > 0 ? withIds('wrote', event.waiting) : '',
              event.others.length > 0 ? withIds('stored', event.others) : '',
            ]
              .filter(Boolean)
              .join(', '),
          )
        default:
          return note(event.kind === 'line' ? `line ${event.what}` : event.what)
      }
    }),
  }
}

/** The person whose device it is has the lab's first one; all others are the third, of somebody else. */
const [own, others] = [0, 2]
/** So long a silence is a step of its own, as long as a history's longest. */
const silenceMs = 1_000
const pauseMs = 59

/**
 * The steps of a history that are like it: what was written here and elsewhere, outages, refusals and lost answers, in
 * the same order. What the messages said, who else wrote, other devices and the clock are not in a trace.
 */
export function stepsOfDevice({ events }: DeviceTrace): Step[] {
  const steps: Step[] = []
  const known = new Set<string>()
  let isAway = false
  let before = events[0]?.at ?? 0
  let said = 0
  const say = (device: number) => {
    // An even number is a message from one of the two to the other; each has its own.
    steps.push({ do: 'say', device, pick: said })
    said += 2
  }
  function write(id: string, device: number) {
    if (!known.has(id)) say(device)
    else if (device === own) steps.push({ do: 'edit', device, pick: said })
    known.add(id)
  }
  function setAway(next: boolean, how: 'offline' | 'dark') {
    if (isAway === next) return
    isAway = next
    steps.push({ do: next ? how : 'online', device: own })
  }

  for (const event of events) {
    if (event.at - before >= silenceMs) steps.push({ do: 'pause', pick: pauseMs })
    before = event.at
    if (event.kind === 'page' && (event.what === 'offline' || event.what === 'online')) {
      setAway(event.what === 'offline', 'offline')
    } else if (event.kind === 'stored') {
      for (const id of event.waiting) write(id, own)
      // What comes back of one's own is no news.
      for (const id of event.others) if (!known.has(id)) write(id, others)
    } else if (event.kind === 'request') {
      const isPush = event.what.endsWith('/_bulk_docs')
      if (event.hasFailed && isPush && !isAway) steps.push({ do: 'lose', device: own, pick: 0 })
      const { status = 0 } = event
      if (status === 429) steps.push({ do: 'refuse', device: own, pick: 1 })
      if (status >= 500) steps.push({ do: 'refuse', device: own, pick: 0 })
    }
  }
  return steps
}
