import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { bearerProtocolPrefix } from '../../schema/api/socket-events.ts'
import type { TokenHolder } from '../access/token-keeper.ts'
import { nameNetwork } from '../http/core/name-network.ts'
import type { Budget } from './budget.ts'
import type { Lease } from './ledger.ts'
import { refuseOver } from './refuse-over.ts'
import type { Visit } from './visit.ts'

interface Known {
  socket: Socket
  lease: Lease | undefined
  userId: string | undefined
  /** Its requests that are under way. */
  visits: Set<Visit>
  /** Since when there was none. */
  quietSince: number
}

/**
 * Bounds connections: of strangers by network and in all, of people by person. When there are too many strangers, the
 * ones that say nothing go first; a new one may then only show a good sign-in, so that people who have one still get in.
 * @param isBehindProxy all connections are the proxy's then, and say nothing about whose they are
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
  /** Strangers for whom there was no room, oldest first. */
  const onTrial = new Set<Known>()

  function lateMs({ visits, quietSince }: Known): number {
    return [...visits].some((visit) => visit.isOurTurn) ? 0 : performance.now() - quietSince
  }

  function enter(socket: Socket) {
    const name = nameConnection(socket)
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
      key: isBehindProxy ? 'all' : nameNetwork(socket.remoteAddress ?? ''),
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

  /** Sockets of people are counted elsewhere; one that was let in by no sign-in stays a stranger until it closes. */
  async function upgrade(request: IncomingMessage) {
    const known = connections.get(nameConnection(request.socket))
    const token = readOfferedToken(request.headers['sec-websocket-protocol'])
    const caller = known && token && (await identify(token))
    if (!caller) return
    leave(known)
    connections.delete(nameConnection(request.socket))
  }

  /** Nothing has come or gone on this connection for a while. */
  function onSilence(socket: Socket) {
    const known = connections.get(nameConnection(socket))
    if (!known) return
    // A body that comes too slowly is ended with words, and a feed that waits for news is as it should be.
    const isWaiting = [...known.visits].some(({ response }) => !response.writableFinished)
    if (!isWaiting || socket.writableLength > 0) socket.destroy()
  }

  return {
    /** Looks after every connection of this server from now on. */
    watch(server: Server) {
      server.on('connection', enter)
      server.on('upgrade', (request) => void upgrade(request).catch(onError))
      server.setTimeout(limits.patienceMs, onSilence)
    },

    /** To be called for each request of a connection. */
    note(visit: Visit) {
      const known = connections.get(nameConnection(visit.request.socket))
      known?.visits.add(visit)
      visit.onClose(() => {
        known?.visits.delete(visit)
        if (known) known.quietSince = performance.now()
      })
    },

    /**
     * The connection has shown a good sign-in: it is that person's now.
     * @throws RequestRefused when they have too many
     */
    welcome(socket: Socket, userId: string) {
      const known = connections.get(nameConnection(socket))
      if (!known || known.userId === userId) return
      const lease = isBehindProxy ? undefined : takeForPerson(known, userId)
      leave(known)
      known.userId = userId
      known.lease = lease
    },

    /** Whose requests come on it, as far as anybody knows before they are read. */
    ownerOf({ socket, headers }: IncomingMessage): string {
      const userId = isBehindProxy ? undefined : connections.get(nameConnection(socket))?.userId
      return userId ?? headers.authorization ?? nameNetwork(socket.remoteAddress ?? '')
    },

    /** Is it a stranger for whom there is no room? */
    isOnTrial(socket: Socket): boolean {
      const known = connections.get(nameConnection(socket))
      return known !== undefined && onTrial.has(known)
    },
  }
}

/** The same for a connection and for the encrypted one within it. */
function nameConnection({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

function readOfferedToken(protocols: string | undefined): string | undefined {
  const offered = protocols?.split(',').map((protocol) => protocol.trim())
  const bearer = offered?.find((protocol) => protocol.startsWith(bearerProtocolPrefix))
  return bearer?.slice(bearerProtocolPrefix.length)
}
