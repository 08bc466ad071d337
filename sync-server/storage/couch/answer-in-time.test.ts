import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { answerInTime } from './answer-in-time.ts'

const limits = { silentMs: 500, longestMs: 60_000 }

/** As after a pause of the whole machine: timers are due before what has come is read. */
const standStill = () =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * limits.silentMs)

test.each([
  ['whole answer', ['here it is']],
  ['beginning and its rest', ['here ', 'it is']],
])('a %s that came while this process stood still is read', async (_what, parts) => {
  const server = createServer(async (_asked, answer) => {
    for (const part of parts) {
      await new Promise<void>((resolve) => answer.write(part, () => resolve()))
      standStill()
    }
    answer.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const giveUp = new AbortController()
  const url = `http://127.0.0.1:${port}/`
  const response = await answerInTime({ url, init: {}, limits, giveUp })
  expect(await response.text()).toBe('here it is')
})
