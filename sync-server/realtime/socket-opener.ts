import type WebSocket from 'ws'
import {
  changesProtocol,
  parseClientFrame,
  type SocketWord,
  socketCloseCodes,
  socketCloseWords,
} from '../../schema/api/socket-events.ts'
import { limits } from '../../schema/limits.ts'
import type { Caller, TokenHolder } from '../access/token-keeper.ts'
import type { ChangeLines } from './change-lines.ts'
import type { Connection, Connections } from './connections.ts'
import type { EventHandler } from './event-handler.ts'
import { createFrameLimit, type FrameBudgets } from './frame-budgets.ts'
import type { Fronts } from './fronts.ts'
import type { Presence } from './presence.ts'
import type { PresenceAnnouncer } from './presence-announcer.ts'
import type { PushTaker } from './push-taker.ts'

/** Node's timers fire at once for longer delays. */
const longestTimerMs = 2 ** 31 - 1

export type SocketOpener = ReturnType<typeof createSocketOpener>

/** A device's offer in its handshake. */
export interface SocketOffer {
  token: string
  understands: readonly SocketWord[]
}

/** A slower reader misses hints, and learns by replication (P7). */
const bufferedMaxBytes = 64 * 1024
/** A displaced socket that does not answer the goodbye is cut off. */
const goodbyeDueWithinMs = 2_000

/** Admits a device by its token, and handles its frames until it leaves. */
export function createSocketOpener(options: {
  identify: (token: string) => Promise<TokenHolder | null>
  /** Reads beforehand what others ask about a person who comes. */
  prepare: (userId: string) => Promise<void>
  connections: Connections
  presence: Presence
  announcer: PresenceAnnouncer
  fronts: Pick<Fronts, 'welcome' | 'forget'>
  lines: ChangeLines
  pushes: Pick<PushTaker, 'welcome'>
  handleEvent: EventHandler
  frameBudgets: FrameBudgets
  onError: (error: unknown) => void
}) {
  const { identify, connections, presence, announcer, handleEvent, frameBudgets, onError } = options
  const { lines, pushes, fronts, prepare } = options
  const seats = createSocketSeats()

  async function letIn(socket: WebSocket, { token, understands }: SocketOffer) {
    const caller = await identify(token)
    if (caller) await prepare(caller.userId)
    if (socket.readyState !== socket.OPEN) return null
    if (!caller) {
      end(socket, 'signInEnded')
      return null
    }
    const connection = connect(socket, caller, understands)
    const seat = seats.take(caller.userId, () => displace(socket))
    connections.add(connection)
    presence.arrive(caller.userId)
    const cancelEnd = runAt(caller.expiresAt, () => end(socket, 'signInEnded'))
    socket.on('close', () => {
      cancelEnd()
      seat.leave()
      connections.remove(connection)
      announcer.forget(connection)
      fronts.forget(connection)
      lines.forget(connection)
      presence.leave(caller.userId)
    })
    // It may have ended before there was a connection to close.
    if (!(await identify(token))) {
      end(socket, 'signInEnded')
      return null
    }
    announcer.welcome(connection)
    fronts.welcome(connection)
    pushes.welcome(connection)
    return { connection, seat }
  }

  return (socket: WebSocket, offer: SocketOffer): void => {
    const takeFrame = createFrameLimit()
    const entering = letIn(socket, offer).catch((error: unknown) => {
      onError(error)
      socket.close(1011, 'The server could not open this connection.')
      return null
    })
    async function handle(frame: unknown) {
      const entered = await entering
      if (!entered || socket.readyState !== socket.OPEN) return
      const { connection, seat } = entered
      seat.touch()
      const heard = typeof frame === 'string' ? parseClientFrame(frame) : null
      const isForLine = heard?.event === 'follow-changes' || heard?.event === 'push-documents'
      // These have budgets of their own; exceeding them gets an answer, not a disconnect.
      if (!isForLine && !frameBudgets.takeFrame(connection.caller.userId))
        return end(socket, 'tooManyFrames')
      if (heard && (connection.hasLine || !isForLine)) await handleEvent(connection, heard)
      else end(socket, 'badFrame')
    }
    // Listen before awaiting anything, or the first frames would be lost.
    socket.on('message', (frame: unknown) => {
      if (takeFrame()) handle(frame).catch(onError)
      else end(socket, 'tooManyFrames')
    })
    // A frame that breaks the protocol ends its own connection; ws closes it after this event.
    socket.on('error', () => undefined)
  }
}

function end(socket: WebSocket, why: keyof typeof socketCloseCodes) {
  socket.close(socketCloseCodes[why], socketCloseWords[why])
}

function displace(socket: WebSocket) {
  end(socket, 'displaced')
  const cutting = setTimeout(() => socket.terminate(), goodbyeDueWithinMs).unref()
  socket.once('close', () => clearTimeout(cutting))
}

function connect(
  socket: WebSocket,
  caller: Caller,
  understands: readonly SocketWord[],
): Connection {
  return {
    caller,
    understands,
    hasLine: socket.protocol === changesProtocol,
    send(text) {
      if (socket.readyState !== socket.OPEN || socket.bufferedAmount > bufferedMaxBytes)
        return false
      socket.send(text, () => undefined)
      return true
    },
    close: (code, reason) => socket.close(code, reason),
  }
}

/** Runs once at `time`, epoch ms, however far away. @returns cancels it */
function runAt(time: number, action: () => void): () => void {
  const state = { timer: undefined as NodeJS.Timeout | undefined }
  function wait() {
    const leftMs = time - Date.now()
    if (leftMs <= 0) return action()
    state.timer = setTimeout(wait, Math.min(leftMs, longestTimerMs)).unref()
  }
  wait()
  return () => clearTimeout(state.timer)
}

/** One socket's place among its person's. */
interface SocketSeat {
  /** Call when the device has said something. */
  touch(): void
  leave(): void
}

/**
 * Limits sockets by person: the one silent longest gives way to the next, so that a tab that
 * somebody opens or returns to always gets one.
 */
function createSocketSeats(perPersonMax: number = limits.socketsPerPersonMax) {
  /** Each person's sockets, the longest silent first. */
  const byPerson = new Map<string, Set<{ displace: () => void }>>()
  return {
    /** @param displace called when another socket needs the seat */
    take(userId: string, displace: () => void): SocketSeat {
      const own = byPerson.get(userId) ?? new Set()
      byPerson.set(userId, own)
      const seat = { displace }
      own.add(seat)
      if (own.size > perPersonMax) {
        for (const oldest of own) {
          own.delete(oldest)
          oldest.displace()
          break
        }
      }
      return {
        touch() {
          if (own.delete(seat)) own.add(seat)
        },
        leave() {
          own.delete(seat)
          if (own.size === 0 && byPerson.get(userId) === own) byPerson.delete(userId)
        },
      }
    },
  }
}
