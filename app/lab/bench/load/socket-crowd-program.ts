import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import WebSocket from 'ws'
import {
  bearerProtocolPrefix,
  socketProtocol,
  understandsProtocolPrefix,
} from '../../../../schema/api/socket-events.ts'
import type { CrowdOrder, CrowdReport } from './socket-crowd.ts'

/** Thousands of devices in their own process, so that their cost is not counted as the server's. */

/** Node's accept queue; further connections would have to retry a second later. */
const connectingMax = 400

interface Device {
  socket: WebSocket | undefined
  bytes: number
}

/** A device's delay after a refusal. */
const askAgainMs = 1_000
const devices: Device[] = []
const pulls = { documents: 0, askedAgain: 0 }

/** Resolves with this device's first frame. */
function connect(device: Device, url: string, token: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const words = `${understandsProtocolPrefix}presence-changes`
    const socket = new WebSocket(url, [socketProtocol, words, `${bearerProtocolPrefix}${token}`])
    device.socket = socket
    device.bytes = 0
    socket.on('open', () => socket.send('{"event":"user-online"}'))
    socket.on('message', (frame) => {
      device.bytes += Buffer.byteLength(String(frame))
      resolve()
    })
    socket.on('error', () => undefined)
    socket.on('close', (code) => reject(new Error(`A socket was closed: ${code}`)))
  })
}

/** A refused device retries. */
async function connectAtLast(
  device: Device,
  { url, token, isPatient }: { url: string; token: string; isPatient: boolean },
): Promise<void> {
  for (;;) {
    try {
      return await connect(device, url, token)
    } catch (error) {
      if (!isPatient) throw error
      pulls.askedAgain += 1
      await pause(askAgainMs)
    }
  }
}

/** Pulls both of a device's databases from the beginning, over its own connection. */
async function pullAll(url: string, token: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (const name of ['conversations', 'messages']) {
    const address = `${url}/sync/${name}/_changes?include_docs=true&since=0&limit=100`
    for (;;) {
      const text = await ask(address, token, agent).catch(() => undefined)
      if (text !== undefined) {
        pulls.documents += JSON.parse(text).results.length
        break
      }
      pulls.askedAgain += 1
      await pause(askAgainMs)
    }
  }
  agent.destroy()
}

/** @throws Error for an answer that is not 200 */
async function ask(address: string, token: string, agent: Agent): Promise<string> {
  const sent = request(address, { agent, headers: { authorization: `Bearer ${token}` } })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const parts: string[] = []
  for await (const part of response.setEncoding('utf8')) parts.push(part)
  if (response.statusCode !== 200) throw new Error(`${address}: ${response.statusCode}`)
  return parts.join('')
}

async function connectAll(order: Extract<CrowdOrder, { kind: 'connect' }>) {
  const { url, tokens, isPulling } = order
  const pulling: Promise<void>[] = []
  const waiting = tokens.map((token, index) => ({ token, index }))
  async function work() {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const device: Device = { socket: undefined, bytes: 0 }
      devices[next.index] = device
      await connectAtLast(device, { url, token: next.token, isPatient: isPulling === true })
      if (isPulling) pulling.push(pullAll(url.replace('ws', 'http'), next.token))
    }
  }
  await Promise.all(Array.from({ length: connectingMax }, work))
  await Promise.all(pulling)
}

function report(): CrowdReport {
  const open = devices.filter(({ socket }) => socket?.readyState === WebSocket.OPEN)
  const bytes = devices.map((device) => device.bytes)
  return { open: open.length, bytes, pulled: pulls.documents, askedAgain: pulls.askedAgain }
}

process.on('message', (order: CrowdOrder) => {
  if (order.kind === 'report') process.send?.(report())
  else connectAll(order).then(() => process.send?.(report()), fail)
})

function fail(error: unknown) {
  console.error(error)
  process.exit(1)
}
