import * as z from 'zod/mini'
import { id } from '../id.ts'
import { type ClientEvent, clientEvents, type ServerEvent, serverEvents } from './socket-events.ts'

/** Names one device's line of events; the device makes it, and makes a new one when it begins anew. */
export const pollQuery = z.object({
  poller: id,
  /** What the device understands beyond the first version, with commas; see `SocketWord`. */
  understands: z.optional(z.string().check(z.maxLength(200))),
})

export const pollLimits = {
  /** What nobody fetches is kept for so long. A poll without events is answered after `limits.syncPollMaxMs`. */
  keptMs: 30_000,
  eventsPerRequestMax: 100,
} as const

/** The events that came since the last poll, oldest first; none when the time was over. */
export const pollAnswer = z.object({ events: z.array(eventOf<ServerEvent>(serverEvents)) })

/** What a device says; each as in a frame of the socket. */
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
  // The list is not empty, and each of its members is one of the events by construction.
  return z.union(frames) as unknown as z.ZodMiniType<Event, Event>
}
