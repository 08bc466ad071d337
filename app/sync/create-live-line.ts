import { createSocket, type Socket, type SocketOptions } from './create-socket.ts'
import type { Powers } from './powers.ts'

/** Without a socket for so long, the line is kept by polls until there is one. */
const patienceMs = 2_000

export interface LiveLineOptions extends SocketOptions {
  powers: Pick<Powers, 'WebSocket' | 'fetch' | 'page' | 'random' | 'now'>
}

/**
 * The line for events: the socket, and long polling where no socket gets through. The socket goes on being
 * tried, and takes over as soon as it opens. Source: section 7 of the specification.
 */
export function createLiveLine(options: LiveLineOptions): Socket {
  const state: { isClosed: boolean; isSocketUp: boolean; isPollingUp: boolean } = {
    isClosed: false,
    isSocketUp: false,
    isPollingUp: false,
  }
  let polling: Socket | undefined
  let patience = setTimeout(poll, patienceMs)

  const socket = createSocket({
    ...options,
    onOpen() {
      clearTimeout(patience)
      state.isSocketUp = true
      stopPolling()
      options.onOpen()
    },
    onDown() {
      if (state.isSocketUp) patience = setTimeout(poll, patienceMs)
      state.isSocketUp = false
      if (!state.isPollingUp) options.onDown()
    },
    onSignedOut: endSignedOut,
  })

  function poll() {
    import('./create-polling.ts').then(startPolling).catch(() => {
      // Without a network its code cannot be fetched either.
      if (!state.isClosed && !state.isSocketUp) patience = setTimeout(poll, patienceMs)
    })
  }

  function startPolling({ createPolling }: typeof import('./create-polling.ts')) {
    if (state.isClosed || state.isSocketUp || polling) return
    polling = createPolling({
      ...options,
      onOpen() {
        state.isPollingUp = true
        options.onOpen()
      },
      onDown() {
        state.isPollingUp = false
        options.onDown()
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
    options.onDown()
    options.onSignedOut()
  }

  function close() {
    state.isClosed = true
    clearTimeout(patience)
    stopPolling()
    socket.close()
  }

  return {
    send: (event) => socket.send(event) || (polling?.send(event) ?? false),
    close,
  }
}
