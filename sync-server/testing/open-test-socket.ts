import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import WebSocket from 'ws'
import {
  bearerProtocolPrefix,
  type ServerEvent,
  socketProtocol,
  understandsProtocolPrefix,
} from '../../schema/api/socket-events.ts'

export type TestSocket = Awaited<ReturnType<typeof openTestSocket>>

/** For tests: a real socket, with everything that it received. */
export async function openTestSocket(at: {
  url: string
  token?: string
  path?: string
  headers?: Record<string, string>
  /** Beyond the first version. */
  understands?: readonly string[]
  /** Its protocol version, if not the first. */
  protocol?: string
}) {
  const { url, token, path = '/', headers = {}, understands = [] } = at
  const { protocol = socketProtocol } = at
  const protocols = [
    protocol,
    ...understands.map((one) => `${understandsProtocolPrefix}${one}`),
    ...(token ? [`${bearerProtocolPrefix}${token}`] : []),
  ]
  const socket = new WebSocket(url.replace('http', 'ws') + path, protocols, { headers })
  const upgraded = once(socket, 'upgrade').catch(() => [])
  const heard: ServerEvent[] = []
  const greeted = new Promise<void>((resolve) => {
    socket.on('message', (frame) => {
      const event: ServerEvent = JSON.parse(String(frame))
      heard.push(event)
      if (event.event === 'users-online') resolve()
    })
  })
  const end: { code?: number; words?: string } = {}
  const closed = new Promise<number>((resolve) => {
    socket.on('close', (code, words) => {
      end.code = code
      end.words = words
      resolve(code)
    })
    socket.on('error', () => undefined)
  })
  await Promise.race([once(socket, 'open'), closed])
  const readLine = async () => (await upgraded)[0] as IncomingMessage
  return {
    socket,
    /** Stops reading, and so answers no ping either, like a phone without a network. */
    pauseReading: async () => void (await readLine()).socket.pause(),
    resumeReading: async () => void (await readLine()).socket.resume(),
    closed,
    /** Until it is let in, or closed: an open line is told nothing before it knows whose it is. */
    untilGreeted: () => Promise.race([greeted, closed]),
    /** Why it is closed; undefined while it is open. */
    closedWith: () => end.code,
    closedSaying: () => end.words,
    heard,
    say: (event: string, data: unknown) => socket.send(JSON.stringify({ event, data })),
    /** The last data of this event. */
    last: (event: ServerEvent['event']) => heard.findLast((one) => one.event === event)?.data,
    count: (event: ServerEvent['event']) => heard.filter((one) => one.event === event).length,
  }
}
