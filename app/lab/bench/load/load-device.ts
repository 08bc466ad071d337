import { once } from 'node:events'
import { Agent } from 'node:http'
import WebSocket from 'ws'
import { bearerProtocolPrefix, socketProtocol } from '../../../../schema/api/socket-events.ts'
import { createAppDevice } from './app-device.ts'
import type { BareFrame, BareNews } from './bare-frames.ts'
import { askServer } from './load-connection.ts'
import type { DeviceOptions, LoadDevice } from './load-device-types.ts'
import type { LoadWay } from './load-orders.ts'
import { createMarkRaiser } from './mark-raiser.ts'
import type { OutgoingMessage } from './outgoing-message.ts'

export async function openLoadDevice(way: LoadWay, options: DeviceOptions): Promise<LoadDevice> {
  switch (way) {
    case 'socket':
    case 'rest':
      return await openPlainDevice(way, options)
    case 'app':
      return await createAppDevice({ ...options, givesReceipts: false })
    case 'app-with-receipts':
      return await createAppDevice({ ...options, givesReceipts: true })
    case 'bare-express':
      return openBareRest(options)
    case 'bare-ws':
      return await openBareSocket({ ...options, givesReceipts: false })
    case 'bare-ws-with-receipts':
      return await openBareSocket({ ...options, givesReceipts: true })
  }
}

/** A program that sends by the socket or by REST, and receives messages by the socket. */
async function openPlainDevice(way: 'socket' | 'rest', options: DeviceOptions) {
  const { origin, account, counts, onArrived, onError } = options
  const agent = new Agent({ keepAlive: true })
  const socket = new WebSocket(origin.replace('http', 'ws'), [
    socketProtocol,
    `${bearerProtocolPrefix}${account.token}`,
  ])
  socket.on('error', onError)
  await once(socket, 'open')
  socket.on('message', (frame) => {
    counts.frames += 1
    const { event, data } = JSON.parse(String(frame))
    if (event === 'receive-message') onArrived(data.messageId)
    if (event === 'message-refused') onError(new Error(data.error))
  })
  return {
    async send({ id, recipientId, content }: OutgoingMessage) {
      if (way === 'rest') {
        const body = { _id: id, recipientId, content }
        const { token } = account
        await askServer(`${origin}/api/messages`, { agent, token, body, counts })
      } else {
        const data = { recipientId, message: { _id: id, content } }
        socket.send(JSON.stringify({ event: 'send-message', data }))
      }
    },
    close() {
      agent.destroy()
      socket.terminate()
    },
  }
}

function openBareRest({ origin, counts, onArrived }: DeviceOptions): LoadDevice {
  const agent = new Agent({ keepAlive: true })
  return {
    async send(body) {
      await askServer(`${origin}/stored`, { agent, token: 'nobody', body, counts })
      onArrived(body.id)
    },
    close: () => agent.destroy(),
  }
}

async function openBareSocket(options: DeviceOptions & { givesReceipts: boolean }) {
  const { origin, account, counts, onArrived, onError, givesReceipts } = options
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/${account.userId}`)
  const tell = (frame: BareFrame) => socket.send(JSON.stringify(frame))
  const marks = createMarkRaiser({
    raise: ({ _id, deliveredUpTo, readUpTo }) =>
      tell({ recipientId: _id, marks: { deliveredUpTo, readUpTo } }),
  })
  socket.on('error', onError)
  await once(socket, 'open')
  socket.on('message', (frame) => {
    counts.frames += 1
    const news: BareNews = JSON.parse(String(frame))
    if ('conversation' in news) return marks.know(news.conversation)
    onArrived(news.id)
    if (givesReceipts) marks.arrive(news.senderId, news.orderedAt)
  })
  return {
    send: async (message: OutgoingMessage) =>
      tell(givesReceipts ? { ...message, isOrdered: true } : message),
    close() {
      marks.close()
      socket.terminate()
    },
  }
}
