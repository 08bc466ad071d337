import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openTestRequest } from '../testing/open-test-request.ts'
import { createReception } from './doorman.ts'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Requests as they come, each called by its caller and a number. */
function openReception(startsPerTurn: number, startsPerCaller = (_key: string) => startsPerTurn) {
  const begun: string[] = []
  const reception = createReception({
    startsPerTurn,
    startsPerCaller,
    keyOf: ({ url = '' }) => url.slice(0, 3),
  })
  const listen = reception.receive(({ url = '' }) => void begun.push(url))
  const come = (url: string) => {
    const response = { destroyed: false }
    listen({ url } as IncomingMessage, response as Parameters<typeof listen>[1])
    return response
  }
  return { begun, come, countWaiting: reception.countWaiting }
}

describe('P12: the reception', () => {
  it('begins a few requests in each turn, one of each caller', async () => {
    const { begun, come, countWaiting } = openReception(2)
    for (const number of [1, 2, 3, 4, 5, 6]) come(`ann ${number}`)
    come('ben 1')
    expect(begun).toEqual(['ann 1', 'ann 2'])
    expect(countWaiting()).toBe(5)
    await nextTurn()
    expect(begun).toEqual(['ann 1', 'ann 2', 'ann 3', 'ben 1'])
    await nextTurn()
    await nextTurn()
    expect(begun.slice(4)).toEqual(['ann 4', 'ann 5', 'ann 6'])
    expect(countWaiting()).toBe(0)
  })

  it('begins at once where nobody waits', async () => {
    const { begun, come } = openReception(2)
    come('ann 1')
    expect(begun).toEqual(['ann 1'])
    await nextTurn()
    come('ann 2')
    come('ben 1')
    expect(begun).toEqual(['ann 1', 'ann 2', 'ben 1'])
  })

  it('begins fewer of one caller than of all, and never one before an earlier of that caller', async () => {
    const { begun, come, countWaiting } = openReception(4, () => 2)
    for (const number of [1, 2, 3, 4, 5]) come(`ann ${number}`)
    expect(begun).toEqual(['ann 1', 'ann 2'])
    come('ben 1')
    come('cat 1')
    come('dan 1')
    expect(begun).toEqual(['ann 1', 'ann 2', 'ben 1', 'cat 1'])
    await nextTurn()
    expect(begun.slice(4)).toEqual(['ann 3', 'dan 1', 'ann 4'])
    come('ann 6')
    await nextTurn()
    expect(begun.slice(7)).toEqual(['ann 5', 'ann 6'])
    expect(countWaiting()).toBe(0)
  })

  it('begins fewer of strangers than of who is signed in', async () => {
    const { begun, come } = openReception(4, (key) => (key === 'eve' ? 1 : 3))
    for (const number of [1, 2, 3]) come(`eve ${number}`)
    for (const number of [1, 2, 3]) come(`ann ${number}`)
    expect(begun).toEqual(['eve 1', 'ann 1', 'ann 2', 'ann 3'])
    await nextTurn()
    expect(begun.slice(4)).toEqual(['eve 2'])
  })

  it('never begins what was given up while it waited', async () => {
    const { begun, come, countWaiting } = openReception(1)
    come('ann 1')
    come('ann 2').destroyed = true
    come('ann 3').destroyed = true
    come('ben 1')
    await nextTurn()
    await nextTurn()
    expect(begun).toEqual(['ann 1', 'ben 1'])
    expect(countWaiting()).toBe(0)
  })

  it('answers every request of one connection, in their order', async () => {
    const { receive } = createReception({
      startsPerTurn: 2,
      startsPerCaller: () => 1,
      keyOf: () => 'ann',
    })
    const server = createServer(receive(({ url }, response) => response.end(`<${url}>`)))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const paths = Array.from({ length: 20 }, (_, index) => `/${index}`)
    const held = await openTestRequest({ port, path: '/first' })
    for (const path of paths) held.send(`GET ${path} HTTP/1.1\r\nhost: petrel\r\n\r\n`)
    const answers = () => [...held.text().matchAll(/<([^>]*)>/g)].map(([, path]) => path)
    await expect.poll(answers).toEqual(['/first', ...paths])
    held.hangUp()
    await held.closed
  })
})
