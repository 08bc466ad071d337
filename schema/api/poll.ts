import * as z from 'zod/mini'
import { id } from '../id.ts'
import { type ClientEvent, clientEvents, type ServerEvent, serverEvents } from './socket-events.ts'

/** Names one device's event stream; the device creates it, and a new one on restart. */
export const pollQuery = z.object({
  poller: id,
  /** What the device understands beyond the first version, comma-separated; see `SocketWord`. */
  understands: z.optional(z.string().check(z.maxLength(200))),
})

export const pollLimits = {
  /**
   * How long unfetched events are kept. A poll without events is answered after
   * `limits.syncPollMaxMs`.
   */
  keptMs: 30_000,
  eventsPerRequestMax: 100,
} as const

/** The events since the last poll, oldest first; empty on timeout. */
export const pollAnswer = z.object({ events: z.array(eventOf<ServerEvent>(serverEvents)) })

/** What a device says, each in the form of a socket frame. */
export const pollEmit = z.object({
  poller: id,
  events: z
    .array(eventOf<ClientEvent>(clientEvents))
    .check(z.minLength(1), z.maxLength(pollLimits.eventsPerRequestMax)),
})

function eventOf<Event>(events: Record<string, z.ZodMiniType>) {
  const frames = Object.entries(events).map(([event, data]) =>
    z.object({ event: z.literal(event), data }),
  )
  // By construction the list is not empty, and each of its members is one of the events.
  return z.union(frames) as unknown as z.ZodMiniType<Event, Event>
}
