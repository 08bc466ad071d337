import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { bearerProtocolPrefix } from '../../schema/api/socket-events.ts'
import type { TokenHolder } from '../access/token-keeper.ts'
import { networkKey } from '../http/core/network-key.ts'
import type { Budget } from './budget.ts'
import type { Lease } from './ledger.ts'
import { refuseOver } from './refuse-over.ts'
import type { Visit } from './visit.ts'

interface Known {
  socket: Socket
  lease: Lease | undefined
  userId: string | undefined
  /** Its pending requests. */
  visits: Set<Visit>
  /** Since when it has had none. */
  quietSince: number
}

/**
 * Bounds connections: of strangers by network and in all, of people by person. When strangers are
 * too many, silent ones go first; a new one may then only sign in, so that people still get in.
 * @param isBehindProxy all connections are the proxy's, and identify nobody
 * @param identify finds the caller of a token; null for a bad one
 */
export function createConnectionGuard(options: {
  budget: Budget
  isBehindProxy: boolean
  identify: (token: string) => Promise<TokenHolder | null>
  onError: (error: unknown) => void
}) {
  const { budget, isBehindProxy, identify, onError } = options
  const { limits } = budget
  const connections = new Map<string, Known>()
  /** Strangers admitted beyond the limit, oldest first. */
  const onTrial = new Set<Known>()

  function lateMs({ visits, quietSince }: Known): number {
    return [...visits].some((visit) => visit.isOurTurn) ? 0 : performance.now() - quietSince
  }

  function enter(socket: Socket) {
    const name = connectionKey(socket)
    const known: Known = {
      socket,
      lease: undefined,
      userId: undefined,
      visits: new Set(),
      quietSince: performance.now(),
    }
    connections.set(name, known)
    socket.once('close', () => {
      leave(known)
      if (connections.get(name) === known) connections.delete(name)
    })
    const lease = (isBehindProxy ? budget.passedOn : budget.strangers).take({
      key: isBehindProxy ? 'all' : networkKey(socket.remoteAddress ?? ''),
      amount: 1,
      lateMs: () => lateMs(known),
      end: () => socket.destroy(),
    })
    if (typeof lease === 'string') tryOut(known)
    else known.lease = lease
  }

  function takeForPerson(known: Known, userId: string): Lease {
    const lease = budget.connections.take({
      key: userId,
      amount: 1,
      lateMs: () => lateMs(known),
      end: () => known.socket.destroy(),
    })
    if (typeof lease === 'string') throw refuseOver(lease)
    return lease
  }

  function tryOut(known: Known) {
    onTrial.add(known)
    if (onTrial.size <= limits.strangersOnTrial) return
    const [oldest] = onTrial
    oldest?.socket.destroy()
    if (oldest) onTrial.delete(oldest)
  }

  function leave(known: Known) {
    known.lease?.release()
    known.lease = undefined
    onTrial.delete(known)
  }

  /** Signed-in sockets are counted elsewhere; any other stays a stranger until it closes. */
  async function upgrade(request: IncomingMessage) {
    const known = connections.get(connectionKey(request.socket))
    const token = readOfferedToken(request.headers['sec-websocket-protocol'])
    const caller = known && token && (await identify(token))
    if (!caller) return
    leave(known)
    connections.delete(connectionKey(request.socket))
  }

  /** This connection has been idle for a while. */
  function onSilence(socket: Socket) {
    const known = connections.get(connectionKey(socket))
    if (!known) return
    // The pace check ends slow bodies with an answer; a feed that waits for news is fine.
    const isWaiting = [...known.visits].some(({ response }) => !response.writableFinished)
    if (!isWaiting || socket.writableLength > 0) socket.destroy()
  }

  return {
    /** Guards every connection of this server from now on. */
    watch(server: Server) {
      server.on('connection', enter)
      server.on('upgrade', (request) => void upgrade(request).catch(onError))
      server.setTimeout(limits.patienceMs, onSilence)
    },

    /** Call for each request of a connection. */
    record(visit: Visit) {
      const known = connections.get(connectionKey(visit.request.socket))
      known?.visits.add(visit)
      visit.onClose(() => {
        known?.visits.delete(visit)
        if (known) known.quietSince = performance.now()
      })
    },

    /**
     * The connection has presented a valid sign-in: it now counts as that person's.
     * @throws RequestRefused when they have too many
     */
    welcome(socket: Socket, userId: string) {
      const known = connections.get(connectionKey(socket))
      if (!known || known.userId === userId) return
      const lease = isBehindProxy ? undefined : takeForPerson(known, userId)
      leave(known)
      known.userId = userId
      known.lease = lease
    },

    /** The owner of its requests, as far as known before they are read. */
    ownerOf({ socket, headers }: IncomingMessage): string {
      const userId = isBehindProxy ? undefined : connections.get(connectionKey(socket))?.userId
      return userId ?? headers.authorization ?? networkKey(socket.remoteAddress ?? '')
    },

    /** Is it a stranger beyond the limit? */
    isOnTrial(socket: Socket): boolean {
      const known = connections.get(connectionKey(socket))
      return known !== undefined && onTrial.has(known)
    },
  }
}

/** The same for a connection and for the TLS socket on it. */
function connectionKey({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

function readOfferedToken(protocols: string | undefined): string | undefined {
  const offered = protocols?.split(',').map((protocol) => protocol.trim())
  const bearer = offered?.find((protocol) => protocol.startsWith(bearerProtocolPrefix))
  return bearer?.slice(bearerProtocolPrefix.length)
}
