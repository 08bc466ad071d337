import type { Platform } from '../platform/platform.ts'
import { createSocket, type Socket, type SocketOptions } from './socket.ts'

/** Without a socket for so long, the line is kept by polls until there is one. */
const patienceMs = 2_000

export interface LiveLineOptions extends SocketOptions {
  platform: Pick<Platform, 'WebSocket' | 'fetch' | 'page' | 'random' | 'now'>
}

/**
 * The line for events: the socket, and long polling where no socket gets through. The socket goes on being
 * tried, and takes over as soon as it opens. Source: section 7 of the specification.
 */
export function createLiveLine(options: LiveLineOptions): Socket {
  const state = {
    isClosed: false,
    isSocketUp: false,
    isPollingUp: false,
    /** Polls would cost the server more than the socket that had to make room. */
    isDisplaced: false,
  }
  let polling: Socket | undefined
  let patience: ReturnType<typeof setTimeout> | undefined

  const socket = createSocket({
    ...options,
    onOpen(speaksChanges) {
      losePatience()
      state.isSocketUp = true
      stopPolling()
      options.onOpen(speaksChanges)
    },
    onDown(why) {
      state.isSocketUp = false
      state.isDisplaced = why === 'displaced'
      waitToPoll()
      if (!state.isPollingUp) options.onDown(why)
    },
    onSignedOut: endSignedOut,
  })

  function waitToPoll() {
    if (polling || state.isClosed || state.isDisplaced) return
    patience ??= setTimeout(poll, patienceMs)
  }

  function losePatience() {
    clearTimeout(patience)
    patience = undefined
  }

  function poll() {
    patience = undefined
    import('./polling.ts').then(startPolling).catch(() => {
      // Without a network its code cannot be fetched either.
      if (!state.isSocketUp) waitToPoll()
    })
  }

  function startPolling({ createPolling }: typeof import('./polling.ts')) {
    if (state.isClosed || state.isSocketUp || state.isDisplaced || polling) return
    polling = createPolling({
      ...options,
      onOpen() {
        state.isPollingUp = true
        options.onOpen(false)
      },
      onDown(why) {
        state.isPollingUp = false
        options.onDown(why)
      },
      onSignedOut: endSignedOut,
    })
  }

  function stopPolling() {
    polling?.close()
    polling = undefined
    state.isPollingUp = false
  }

  function endSignedOut() {
    close()
    options.onDown('broken')
    options.onSignedOut()
  }

  function close() {
    state.isClosed = true
    losePatience()
    stopPolling()
    socket.close()
  }

  waitToPoll()
  return {
    send: (event) => socket.send(event) || (polling?.send(event) ?? false),
    doubt: socket.doubt,
    close,
  }
}
