import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterEach, expect, it } from 'vitest'
import { CallerGone } from '../../access/password-hasher.ts'
import { alreadySent } from '../core/route.ts'
import { withDepartureSignal } from './departure-signal.ts'

const servers: ReturnType<typeof createServer>[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
})

it('work is told that its caller has hung up, and nobody is answered', async () => {
  const outcomes: unknown[] = []
  const begun = { count: 0 }
  const app = express().get('/', async (_request, response) => {
    const outcome = await withDepartureSignal(response, (gone) => {
      begun.count += 1
      return new Promise((_resolve, reject) => {
        gone.addEventListener('abort', () => reject(new CallerGone('gone')))
      })
    })
    outcomes.push(outcome)
  })
  const server = createServer(app).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const hangUp = new AbortController()
  const asked = fetch(`http://127.0.0.1:${port}/`, { signal: hangUp.signal })
  const answered = asked.then(() => true).catch(() => false)
  await expect.poll(() => begun.count).toBe(1)
  hangUp.abort()
  await expect.poll(() => outcomes).toEqual([alreadySent])
  expect(await answered).toBe(false)
})
