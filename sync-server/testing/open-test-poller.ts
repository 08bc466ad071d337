import { v7 as uuidv7 } from 'uuid'
import type { ServerEvent } from '../../schema/api/socket-events.ts'

export type TestPoller = ReturnType<typeof openTestPoller>

/** For tests: a polling device, with everything that it heard. */
export function openTestPoller(at: {
  url: string
  token: string
  pollerId?: string
  /** Beyond the first version. */
  understands?: string
}) {
  const { url, token, pollerId = uuidv7(), understands = '' } = at
  const heard: ServerEvent[] = []
  const stopping = new AbortController()
  const { signal } = stopping
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  /** @returns the status of the first poll without events; 0 once stopped */
  async function run(): Promise<number> {
    for (;;) {
      const address = `${url}/poll?poller=${pollerId}&understands=${understands}`
      const response = await fetch(address, { headers, signal })
      if (response.status !== 200) return response.status
      const { events } = (await response.json()) as { events: ServerEvent[] }
      heard.push(...events)
    }
  }
  const ended = run().catch((error: unknown) => {
    if (signal.aborted) return 0
    throw error
  })

  return {
    pollerId,
    heard,
    ended,
    async say(event: string, data: unknown): Promise<number> {
      const body = JSON.stringify({ poller: pollerId, events: [{ event, data }] })
      return (await fetch(`${url}/poll`, { method: 'POST', headers, body })).status
    },
    /** The last data of this event. */
    last: (event: ServerEvent['event']) => heard.findLast((one) => one.event === event)?.data,
    count: (event: ServerEvent['event']) => heard.filter((one) => one.event === event).length,
    /** Hangs up in the middle of a poll. */
    async stop() {
      stopping.abort()
      await ended
    },
  }
}
