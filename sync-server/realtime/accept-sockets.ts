import type { Server } from 'node:http'
import type { Express } from 'express'
import expressWs from 'express-ws'
import type WebSocket from 'ws'
import { apiErrors } from '../../schema/api/api-error.ts'
import {
  bearerProtocolPrefix,
  changesProtocol,
  readSocketWords,
  socketProtocol,
  understandsProtocolPrefix,
} from '../../schema/api/socket-events.ts'
import { checkWire, wireProtocolPrefix } from '../../schema/api/wire.ts'
import { limits } from '../../schema/limits.ts'
import { createFewInATurn } from '../lib/few-in-a-turn.ts'
import type { SocketOffer, SocketOpener } from './socket-opener.ts'

/** Opening one takes a quarter of a millisecond, and its first words as long. */
const startsPerTurn = 16

/**
 * Accepts WebSockets at the server's root only: express-ws would open one at any path. Mount before
 * every other middleware, which would take an upgrade for a request. After a restart everybody
 * comes at once: a few in each turn of the event loop.
 * @param pingEveryMs cuts off a socket that has not answered one ping when the next is due
 */
export function acceptSockets(options: {
  app: Express
  server: Server
  publicUrl: string | undefined
  openSocket: SocketOpener
  pingEveryMs?: number | undefined
}) {
  const { app, server, publicUrl, openSocket } = options
  const { pingEveryMs = limits.socketPingEveryMs } = options
  const turns = createFewInATurn({ startsPerTurn })
  const { getWss, app: withSockets } = expressWs(app, server, {
    leaveRouterUntouched: true,
    wsOptions: {
      path: '/',
      maxPayload: limits.socketFrameMaxBytes,
      perMessageDeflate: false,
      verifyClient: ({ origin, req }, answer) => {
        const isAllowed = isAllowedOrigin({ origin, host: req.headers.host, publicUrl })
        if (!isAllowed) return answer(false, 403, 'Forbidden')
        const problem = checkWire(readOffer(req.headers['sec-websocket-protocol']).wire)
        if (problem) {
          const { status, error } = apiErrors[problem]
          return answer(false, status, error)
        }
        const { socket } = req
        turns.take({
          key: socket.remoteAddress ?? '',
          begin: () => answer(true),
          isGivenUp: () => socket.destroyed,
        })
      },
      handleProtocols: (offered: Iterable<string>) => {
        const known = new Set(offered)
        return [changesProtocol, socketProtocol].find((one) => known.has(one)) ?? false
      },
    },
  })
  withSockets.ws('/', (socket, request) =>
    openSocket(socket, readOffer(request.headers['sec-websocket-protocol'])),
  )

  const quiet = new WeakSet<WebSocket>()
  function ping() {
    for (const socket of getWss().clients) {
      if (quiet.has(socket)) socket.terminate()
      else {
        quiet.add(socket)
        socket.ping()
      }
    }
  }
  // After a standstill of this process the timer is first, and the answers still wait to be read.
  const pinging = setInterval(() => setImmediate(() => setImmediate(ping)), pingEveryMs).unref()
  // The server's own errors, such as a port in use, reach the server's listeners.
  getWss().on('error', () => undefined)
  getWss().on('connection', (socket: WebSocket) => {
    socket.on('pong', () => quiet.delete(socket))
  })

  return {
    count: () => getWss().clients.size,
    close() {
      clearInterval(pinging)
      for (const socket of getWss().clients) socket.terminate()
    },
  }
}

/** The only header that browsers can set on a socket. */
function readOffer(offered: string | undefined): SocketOffer & { wire: string | undefined } {
  const protocols = offered?.split(',').map((protocol) => protocol.trim()) ?? []
  const listAfter = (prefix: string) =>
    protocols.flatMap((one) => (one.startsWith(prefix) ? [one.slice(prefix.length)] : []))
  return {
    token: listAfter(bearerProtocolPrefix)[0] ?? '',
    understands: readSocketWords(listAfter(understandsProtocolPrefix)),
    wire: listAfter(wireProtocolPrefix)[0],
  }
}

/**
 * May a page of this origin open a socket? Our own pages may, and clients without an origin, which
 * are no browsers.
 * @param host the `Host` header: a browser sets it from the address, so a foreign page cannot
 * choose it
 */
function isAllowedOrigin(asked: {
  origin: string | undefined
  host: string | undefined
  publicUrl: string | undefined
}): boolean {
  const { origin, host, publicUrl } = asked
  if (origin === undefined || origin === '') return true
  if (!URL.canParse(origin)) return false
  return origin === publicUrl || new URL(origin).host === host?.toLowerCase()
}
