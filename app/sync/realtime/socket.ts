import {
  bearerProtocolPrefix,
  type ClientEvent,
  changesProtocol,
  parseServerFrame,
  type ServerEvent,
  socketCloseCodes,
  socketProtocol,
  understandsProtocolPrefix,
} from '../../../schema/api/socket-events.ts'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { limits } from '../../../schema/limits.ts'
import { createBackOff, orAborted } from '../platform/back-off.ts'
import type { Platform } from '../platform/platform.ts'

export interface SocketOptions {
  platform: Pick<Platform, 'WebSocket' | 'page' | 'random'>
  /** The server's origin, `http(s)://…`. */
  serverUrl: string
  readToken: () => string | undefined
  /** @param speaksChanges whether this line can carry what is written into the person's databases */
  onOpen: (speaksChanges: boolean) => void
  onEvent: (event: ServerEvent) => void
  /**
   * `broken`: closed, or not opened; it tries again by itself. `displaced`: the person has too many tabs and devices,
   * so it waits until they return to this one.
   */
  onDown: (why: 'broken' | 'displaced') => void
  /** The server says that this sign-in has ended: it does not try again. */
  onSignedOut: () => void
  /** After so long without a word from a server that speaks regularly, the line is dead, whatever the browser believes. */
  silenceMs?: number
}

export interface Socket {
  /** False when it is not connected: what it carries is a hint, and may be lost (P7). */
  send(event: ClientEvent): boolean
  /** A request found the network dead: a line that has said nothing lately is made anew. */
  doubt(): void
  close(): void
}

/** The server says something at every ping. */
const longestSilenceMs = limits.socketPingEveryMs + 15_000

/** This part of the silence is enough where a request has found the network dead. */
const doubtfulPart = 1 / 4

type End = 'signed-out' | 'displaced' | 'broken'

const ends = new Map<number, End>([
  [socketCloseCodes.signInEnded, 'signed-out'],
  [socketCloseCodes.displaced, 'displaced'],
])

/**
 * One connection at a time, made again when it breaks: five times a second apart, then slower and with
 * jitter, and at once when the network or the person comes back. Section 9 of the specification.
 * One that had to make room for another tab of the person does not come back before the person does.
 */
export function createSocket(options: SocketOptions): Socket {
  const { platform, readToken, onOpen, onEvent, onDown, onSignedOut } = options
  const { silenceMs = longestSilenceMs } = options
  const url = `${options.serverUrl.replace(/^http/, 'ws')}/`
  const closing = new AbortController()
  const backOff = createBackOff({
    random: platform.random,
    firstMs: limits.socketReconnectDelayMs,
    evenAttempts: limits.socketReconnectAttempts,
  })
  let current: WebSocket | undefined
  /** Ends the connection without waiting for the other side, which may never hear of it. */
  let drop = () => {}
  let heardAt = 0
  /** The person is here again. */
  let wake = () => {}

  /** Resolves when this connection is over. */
  function connect(token: string): Promise<End> {
    const words = `${understandsProtocolPrefix}presence-changes`
    const socket = new platform.WebSocket(url, [
      changesProtocol,
      socketProtocol,
      words,
      `${bearerProtocolPrefix}${token}`,
    ])
    current = socket
    const slow = setTimeout(() => socket.close(), limits.socketTimeoutMs)
    return new Promise((resolve) => {
      let silence: ReturnType<typeof setTimeout> | undefined
      function listen() {
        clearTimeout(silence)
        heardAt = performance.now()
        if (socket.protocol === changesProtocol) silence = setTimeout(() => drop(), silenceMs)
      }
      socket.onopen = () => {
        clearTimeout(slow)
        backOff.succeed()
        listen()
        onOpen(socket.protocol === changesProtocol)
      }
      socket.onmessage = ({ data }: { data: unknown }) => {
        listen()
        const event = typeof data === 'string' ? parseServerFrame(data) : null
        if (event) onEvent(event)
      }
      // Every error is followed by a close.
      socket.onerror = () => {}
      const end = (how: End) => {
        clearTimeout(slow)
        clearTimeout(silence)
        if (current === socket) current = undefined
        socket.onmessage = null
        resolve(how)
      }
      socket.onclose = ({ code }: { code: number }) => end(ends.get(code) ?? 'broken')
      drop = () => {
        end('broken')
        socket.close()
      }
    })
  }

  async function run() {
    while (!closing.signal.aborted) {
      const attempt = await backOff.begin(closing.signal)
      const token = readToken()
      if (!token) return
      const end = await connect(token)
      if (closing.signal.aborted) return
      onDown(end === 'displaced' ? 'displaced' : 'broken')
      // What is said of an earlier sign-in ends no later one.
      if (end === 'signed-out' && readToken() === token) return onSignedOut()
      if (end === 'displaced') await waitForPerson()
      else backOff.fail(attempt)
    }
  }

  /** Whatever else it waited for, it would take the place of another tab, which then did the same. */
  async function waitForPerson() {
    const { promise, resolve } = createDeferred()
    wake = resolve
    await orAborted(promise, closing.signal)
  }

  const unsubscribe = platform.page.subscribe((event) => {
    if (event === 'front') wake()
    if (event === 'online' || event === 'front') backOff.hurry()
    // Some browsers keep it open for minutes, and who was online would seem to be so still.
    if (event === 'offline') drop()
  })
  run().catch(() => {
    // The only way here is the abort of `close`.
  })

  return {
    send(event) {
      if (event.event === 'typing') wake()
      if (current?.readyState !== platform.WebSocket.OPEN) return false
      current.send(JSON.stringify(event))
      return true
    },
    doubt() {
      const isRegular =
        current?.readyState === platform.WebSocket.OPEN && current.protocol === changesProtocol
      if (isRegular && performance.now() - heardAt > silenceMs * doubtfulPart) drop()
    },
    close() {
      unsubscribe()
      closing.abort()
      backOff.close()
      current?.close()
    },
  }
}
