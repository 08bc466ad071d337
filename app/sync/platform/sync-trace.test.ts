import { expect, test } from 'vitest'
import { createNetwork } from '../../lab/kit/network.ts'
import { createLabPage } from '../../lab/kit/page.ts'
import { createSyncTrace, traceEventsMax } from './sync-trace.ts'

test('a trace remembers the newest few hundred events, and no more', async () => {
  let asked = 0
  const trace = createSyncTrace({
    fetch: async () => new Response(null, { status: ++asked <= 100 ? 200 : 204 }),
    WebSocket: createNetwork({ random: Math.random }).connect().WebSocket,
    page: createLabPage(),
    now: Date.now,
    random: Math.random,
  })
  for (let n = 0; n < traceEventsMax + 100; n += 1) {
    await trace.platform.fetch('https://petrel.example/sync/messages/_changes?feed=normal&since=9')
  }
  const { events } = trace.read()
  expect(events).toHaveLength(traceEventsMax)
  expect(events.at(0)).toMatchObject({ what: 'GET messages/_changes normal', status: 204 })
})

test('an address that is not known is no word of the trace', async () => {
  const trace = createSyncTrace({
    fetch: async () => {
      throw new TypeError('fetch failed: heronardea')
    },
    WebSocket: createNetwork({ random: Math.random }).connect().WebSocket,
    page: createLabPage(),
    now: Date.now,
    random: Math.random,
  })
  const asked = trace.platform.fetch('https://petrel.example/sync/heronardea/_heron_ardea')
  await expect(asked).rejects.toThrow('heronardea')
  await trace.platform.fetch('/sync/messages/_heronardea').catch(() => {})
  expect(JSON.stringify(trace.read())).not.toContain('heron')
  expect(trace.read().events).toMatchObject([
    { what: 'GET other', hasFailed: true },
    { what: 'GET messages/other', hasFailed: true },
  ])
})
