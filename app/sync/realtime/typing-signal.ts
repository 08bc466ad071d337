import type { ClientEvent } from '../../../schema/api/socket-events.ts'
import { limits } from '../../../schema/limits.ts'

/** Sends typing signals to the other person: at most every 300 ms, and "stopped" after 1 s. */
export function createTypingSignal(options: { send: (event: ClientEvent) => void }): {
  typing(peerId: string): void
  stopTyping(peerId: string): void
  close(): void
} {
  const { send } = options
  const writing = new Map<string, { saidAt: number; timer: ReturnType<typeof setTimeout> }>()

  function stopTyping(recipientId: string) {
    const state = writing.get(recipientId)
    if (!state) return
    clearTimeout(state.timer)
    writing.delete(recipientId)
    send({ event: 'stop-typing', data: { recipientId } })
  }

  return {
    typing(recipientId) {
      const before = writing.get(recipientId)
      clearTimeout(before?.timer)
      const now = performance.now()
      const isDue = !before || now - before.saidAt >= limits.typingEmitEveryMs
      if (isDue) send({ event: 'typing', data: { recipientId } })
      writing.set(recipientId, {
        saidAt: isDue ? now : before.saidAt,
        timer: setTimeout(() => stopTyping(recipientId), limits.typingStopAfterMs),
      })
    },
    stopTyping,
    close() {
      for (const { timer } of writing.values()) clearTimeout(timer)
      writing.clear()
    },
  }
}
