import {
  bearerProtocolPrefix,
  type ClientEvent,
  changesProtocol,
  parseServerFrame,
  type ServerEvent,
  socketCloseCodes,
  socketProtocol,
  socketWords,
  understandsProtocolPrefix,
} from '../../../schema/api/socket-events.ts'
import { wireProtocolPrefix, wireVersion } from '../../../schema/api/wire.ts'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { limits } from '../../../schema/limits.ts'
import { createBackOff, orAborted } from '../platform/back-off.ts'
import type { Platform } from '../platform/platform.ts'

export interface SocketOptions {
  platform: Pick<Platform, 'WebSocket' | 'page' | 'random' | 'now'>
  /** The server's origin, `http(s)://…`. */
  serverUrl: string
  readToken: () => string | undefined
  /** @param speaksChanges whether this line can carry changes of the person's databases */
  onOpen: (speaksChanges: boolean) => void
  onEvent: (event: ServerEvent) => void
  /**
   * `broken`: closed, or not opened; it retries by itself. `displaced`: the person has too many
   * tabs and devices, so it waits until they return to this one.
   */
  onDown: (why: 'broken' | 'displaced') => void
  /** The server ended this sign-in: no retry. */
  onSignedOut: () => void
  /**
   * After this much silence from a server that speaks regularly, the line is dead, whatever the
   * browser believes.
   */
  silenceMs?: number
}

export interface Socket {
  /** False when not connected: a frame is a hint, and may be lost (P7). */
  send(event: ClientEvent): boolean
  /** A request found the network dead: reconnects if the line has been silent lately. */
  doubt(): void
  close(): void
}

/** The server sends something at every ping. */
const longestSilenceMs = limits.socketPingEveryMs + 15_000

/** This share of the silence is enough after a request found the network dead. */
const doubtfulPart = 1 / 4

/** Silent for longer, a line of the second version is doubted when person or network return. */
const trustedSilenceMs = limits.socketPingEveryMs + 5_000

/**
 * A line that closed sooner has proved nothing: the server may have trouble with its storage, or an
 * intermediary cuts whatever it does not know.
 */
const steadyMs = 10_000

/** `stale`: ended here, and no failure that the next attempt would have to wait for. */
type End = 'signed-out' | 'displaced' | 'broken' | 'stale'

const ends = new Map<number, End>([
  [socketCloseCodes.signInEnded, 'signed-out'],
  [socketCloseCodes.displaced, 'displaced'],
])

/**
 * One connection at a time. Reconnects after a break: five times at 1 s, then slower with jitter,
 * and immediately when the network or the person returns. Source: decision 61, section 9. A
 * displaced socket stays closed until the person returns.
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
  let drop = (_how?: End) => {}
  let openedAt = Number.POSITIVE_INFINITY
  let heardAt = 0
  /** Epoch ms: timers and other clocks may stand still while the device sleeps. */
  let heardAtWallClock = 0
  /** The person is back. */
  let wake = () => {}

  /** Resolves when this connection is over. */
  function connect(token: string): Promise<End> {
    const socket = new platform.WebSocket(url, [
      changesProtocol,
      socketProtocol,
      ...socketWords.map((word) => `${understandsProtocolPrefix}${word}`),
      `${wireProtocolPrefix}${wireVersion}`,
      `${bearerProtocolPrefix}${token}`,
    ])
    current = socket
    openedAt = Number.POSITIVE_INFINITY
    const slow = setTimeout(() => socket.close(), limits.socketTimeoutMs)
    return new Promise((resolve) => {
      let silence: ReturnType<typeof setTimeout> | undefined
      function listen() {
        clearTimeout(silence)
        heardAt = performance.now()
        heardAtWallClock = platform.now()
        if (socket.protocol === changesProtocol) silence = setTimeout(() => drop(), silenceMs)
      }
      socket.onopen = () => {
        clearTimeout(slow)
        openedAt = platform.now()
        listen()
        onOpen(socket.protocol === changesProtocol)
      }
      socket.onmessage = ({ data }: { data: unknown }) => {
        listen()
        const event = typeof data === 'string' ? parseServerFrame(data) : null
        if (event) onEvent(event)
      }
      // A close follows every error.
      socket.onerror = () => {}
      const end = (how: End) => {
        clearTimeout(slow)
        clearTimeout(silence)
        if (current === socket) current = undefined
        socket.onmessage = null
        resolve(how)
      }
      socket.onclose = ({ code }: { code: number }) => end(ends.get(code) ?? 'broken')
      drop = (how = 'broken') => {
        end(how)
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
      if (platform.now() - openedAt >= steadyMs) backOff.succeed()
      onDown(end === 'displaced' ? 'displaced' : 'broken')
      // A verdict on an earlier sign-in ends no later one.
      if (end === 'signed-out' && readToken() === token) return onSignedOut()
      if (end === 'displaced') await waitForPerson()
      else if (end !== 'stale') backOff.fail(attempt)
    }
  }

  /** Any earlier reconnect would displace another tab, which would then do the same. */
  async function waitForPerson() {
    const { promise, resolve } = createDeferred()
    wake = resolve
    await orAborted(promise, closing.signal)
  }

  /** Does this line's server say something at every ping? */
  const isRegular = () =>
    current?.readyState === platform.WebSocket.OPEN && current.protocol === changesProtocol

  /** After a sleep it may be dead, and pulls would wait for nothing. */
  function dropStale() {
    const silentMs = Math.abs(platform.now() - heardAtWallClock)
    if (isRegular() && silentMs > trustedSilenceMs) drop('stale')
  }

  const unsubscribe = platform.page.subscribe((event) => {
    if (event === 'front') wake()
    if (event === 'online' || event === 'front') {
      dropStale()
      backOff.hurry()
    }
    // Some browsers keep it open for minutes, and people would still appear online.
    if (event === 'offline') drop()
  })
  run().catch(() => {
    // Only `close` aborts and leads here.
  })

  return {
    send(event) {
      if (event.event === 'typing') wake()
      if (current?.readyState !== platform.WebSocket.OPEN) return false
      current.send(JSON.stringify(event))
      return true
    },
    doubt() {
      if (isRegular() && performance.now() - heardAt > silenceMs * doubtfulPart) drop()
    },
    close() {
      unsubscribe()
      closing.abort()
      backOff.close()
      current?.close()
    },
  }
}
