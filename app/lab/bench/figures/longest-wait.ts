import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type WebSocket from 'ws'

const pauseMs = 10

/**
 * Sends frames in sequence from one socket to another (or the same), until stopped.
 * @param frame the sent text; the reply contains `answer`
 */
export function createLongestWait(options: {
  from: WebSocket
  to: WebSocket
  frame: string
  answer: string
}) {
  const { from, to, frame, answer } = options
  const state = { isStopped: false, longestMs: 0 }

  async function hear(): Promise<void> {
    for (;;) {
      const [text] = await once(to, 'message')
      if (String(text).includes(answer)) return
    }
  }

  async function run() {
    while (!state.isStopped) {
      const sentAt = performance.now()
      const heard = hear()
      from.send(frame)
      await heard
      state.longestMs = Math.max(state.longestMs, performance.now() - sentAt)
      await pause(pauseMs)
    }
  }
  const running = run()

  return {
    /** @returns how long the slowest of them took, in ms */
    async stop(): Promise<number> {
      state.isStopped = true
      await running
      return state.longestMs
    },
  }
}
