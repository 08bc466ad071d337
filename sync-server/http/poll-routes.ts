import * as z from 'zod/mini'
import { pollAnswer, pollEmit, pollQuery } from '../../schema/api/poll.ts'
import { readSocketWords } from '../../schema/api/socket-events.ts'
import type { Pollers } from '../realtime/pollers.ts'
import { RequestRefused } from './core/request-refused.ts'
import { defineRoute, type Route } from './core/route.ts'

const refuseTooMany = () =>
  new RequestRefused('too_many_requests', { headers: { 'retry-after': '2' } })

/**
 * The socket's events by long polling, for networks without WebSockets. Needs a bearer token.
 *
 * `GET /poll?poller=<uuid>` answers `{events: [{event, data}]}` as soon as there are some, or none
 * after 25 s; ask again at once. The first poll gets `users-online`, and may say what the device
 * `understands`. Keep the id while polls succeed; after a failure make a new one, as the answer
 * may be lost (P7: events are hints, replication brings what counts).
 * `POST /poll` with `{poller, events: [{event, data}]}` replaces a socket's frames; the next poll
 * brings `message-refused`. 401 when the sign-in has ended, 429 with `retry-after` over the limit.
 */
export function createPollRoutes({ pollers }: { pollers: Pollers }): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/poll',
      access: 'signed-in',
      summary: 'Waits up to 25 s for events, where no socket can be kept open.',
      query: pollQuery,
      status: 200,
      answer: pollAnswer,
      errors: ['too_many_requests'],
      async handle({ caller, query, signal }) {
        const understands = readSocketWords(query.understands?.split(',') ?? [])
        const address = { caller, pollerId: query.poller }
        const outcome = await pollers.poll(address, { understands, gone: signal })
        if (outcome === 'too-many') throw refuseTooMany()
        if (outcome.kind === 'signed-out') throw new RequestRefused('session_ended')
        return { events: outcome.events }
      },
    }),

    defineRoute({
      method: 'post',
      path: '/poll',
      access: 'signed-in',
      summary: 'Says what a socket’s frames would say, in their order.',
      body: pollEmit,
      status: 200,
      answer: z.object({ heard: z.number() }),
      errors: ['too_many_requests'],
      async handle({ caller, body }) {
        const heard = await pollers.emit({ caller, pollerId: body.poller }, body.events)
        if (heard === 'too-many') throw refuseTooMany()
        return { heard }
      },
    }),
  ]
}
