import type { Platform } from '../platform/platform.ts'
import type { PollingOptions } from './polling.ts'
import { createSocket, type Socket, type SocketOptions } from './socket.ts'

/** After this long without a socket, polls replace it until one opens. */
const patienceMs = 2_000

export interface LiveLineOptions extends SocketOptions, Pick<PollingOptions, 'onOutdated'> {
  platform: Pick<Platform, 'WebSocket' | 'fetch' | 'page' | 'random' | 'now'>
}

/**
 * The event line: a socket, or long polling when no socket gets through. It keeps retrying the
 * socket, which takes over as soon as it opens. Source: decision 61, section 7.
 */
export function createLiveLine(options: LiveLineOptions): Socket {
  const state = {
    isClosed: false,
    isSocketUp: false,
    isPollingUp: false,
    /** Polls would cost the server more than the displaced socket did. */
    isDisplaced: false,
  }
  let polling: Socket | undefined
  let patience: ReturnType<typeof setTimeout> | undefined

  const socket = createSocket({
    ...options,
    onOpen(speaksChanges) {
      // Patience goes on: a socket that is cut again and again must not renew it each time.
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
    if (state.isSocketUp) return
    import('./polling.ts').then(startPolling).catch(() => {
      // Without a network its code cannot be loaded either.
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
    send(event) {
      if (socket.send(event)) return true
      // A poll carries hints; a push beside it would be a request like any other.
      return event.event !== 'push-documents' && (polling?.send(event) ?? false)
    },
    doubt: socket.doubt,
    close,
  }
}
