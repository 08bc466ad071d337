import WebSocket from 'ws'
import {
  bearerProtocolPrefix,
  socketProtocol,
  understandsProtocolPrefix,
} from '../../../schema/socket-events.ts'
import type { CrowdOrder, CrowdReport } from './socket-crowd.ts'

/** Thousands of devices in a process of their own, so that what they cost is not counted as the server's. */

/** Node's servers let so many wait to be accepted; the others would be asked to come again a second later. */
const connectingMax = 400

interface Device {
  socket: WebSocket | undefined
  bytes: number
}

const devices: Device[] = []

/** Resolves once this device has been told something. */
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

async function connectAll({ url, tokens }: { url: string; tokens: readonly string[] }) {
  const waiting = tokens.map((token, index) => ({ token, index }))
  async function work() {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const device: Device = { socket: undefined, bytes: 0 }
      devices[next.index] = device
      await connect(device, url, next.token)
    }
  }
  await Promise.all(Array.from({ length: connectingMax }, work))
}

function report(): CrowdReport {
  const open = devices.filter(({ socket }) => socket?.readyState === WebSocket.OPEN)
  return { open: open.length, bytes: devices.map(({ bytes }) => bytes) }
}

process.on('message', (order: CrowdOrder) => {
  if (order.kind === 'report') process.send?.(report())
  else connectAll(order).then(() => process.send?.(report()), fail)
})

function fail(error: unknown) {
  console.error(error)
  process.exit(1)
}
