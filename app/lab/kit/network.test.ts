import { expect, onTestFinished, test, vi } from 'vitest'
import NodeWebSocket from 'ws'
import { createLab } from './lab.ts'

/** A server that says everything back, and a device with a socket to it. */
async function openEcho() {
  const server = new NodeWebSocket.Server({ port: 0, host: '127.0.0.1' })
  await new Promise((resolve) => server.on('listening', resolve))
  server.on('connection', (socket) => socket.on('message', (text) => socket.send(String(text))))
  const address = server.address()
  const port = typeof address === 'object' ? address.port : 0
  const heard: string[] = []
  const lab = createLab({
    seed: 7,
    open({ WebSocket, now }) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}`)
      const state = { is: 'opening' }
      socket.onopen = () => Object.assign(state, { is: 'open' })
      socket.onclose = () => Object.assign(state, { is: 'closed' })
      socket.onerror = () => {}
      socket.onmessage = ({ data }) => void heard.push(String(data))
      return { socket, state, now, read: () => ({}), close: () => socket.close() }
    },
  })
  onTestFinished(async () => {
    await lab.close()
    server.close()
  })
  const phone = await lab.device('phone')
  return { lab, phone, heard }
}

test('frames pass as they are, and are lost, doubled and cut once a line spoils them', async () => {
  const { phone, heard } = await openEcho()
  await vi.waitUntil(() => phone.app.state.is === 'open')
  phone.app.socket.send('whole')
  await vi.waitUntil(() => heard.length > 0)
  expect(heard.splice(0)).toEqual(['whole'])
  phone.network.spoilFrames()
  const sent = Array.from({ length: 100 }, (_, at) => `frame ${at} of many`)
  for (const text of sent) phone.app.socket.send(text)
  await vi.waitUntil(() => heard.includes('frame 99 of many') || heard.length > 60)
  const countOf = (text: string) => heard.filter((one) => one === text).length
  expect(sent.some((text) => countOf(text) === 0)).toBe(true)
  expect(sent.some((text) => countOf(text) > 1)).toBe(true)
  expect(heard.some((text) => !sent.includes(text))).toBe(true)
})

test('a socket that is cut closes, and none opens where they are blocked', async () => {
  const { lab, phone } = await openEcho()
  await vi.waitUntil(() => phone.app.state.is === 'open')
  phone.network.cutSockets()
  await vi.waitUntil(() => phone.app.state.is === 'closed')
  phone.network.blockSockets()
  const { state } = await phone.openTab()
  await vi.waitUntil(() => state.is === 'closed')
  phone.network.calm()
  const laptop = await lab.device('laptop')
  await vi.waitUntil(() => laptop.app.state.is === 'open')
})

test('a clock that is set or drifts is wrong for its device alone', async () => {
  const { lab, phone } = await openEcho()
  const laptop = await lab.device('laptop')
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const begunAt = Date.now()
  phone.clock.set(-60_000)
  expect(phone.app.now() - begunAt).toBe(-60_000)
  phone.clock.drift(100)
  vi.setSystemTime(begunAt + 10_000)
  expect(phone.app.now() - begunAt).toBe(10_000 - 60_000 + 1_000)
  expect(laptop.app.now() - begunAt).toBe(10_000)
})
