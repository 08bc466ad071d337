import type { Visit } from './visit.ts'

interface Limits {
  bytesPerSecondMin: number
  patienceMs: number
  drainMs: number
  lookEveryMs: number
}

/**
 * Periodically checks bodies and answers in transfer and ends those that are too slow. Watches a
 * body until its last byte, whether or not anybody reads it.
 */
export function createTransferWatch(limits: Limits) {
  const bodies = new Map<Visit, { bytesRead: number; answeredAt: number | undefined }>()
  const answers = new Set<Visit>()
  const { bytesPerSecondMin, patienceMs, drainMs } = limits
  // Tests use shorter limits.
  const everyMs = Math.min(limits.lookEveryMs, patienceMs / 4)
  const state = { lookedAt: performance.now() }

  function lookAtBody(visit: Visit, blindMs: number) {
    const { request, response, pace } = visit
    const known = bodies.get(visit)
    const { bytesRead, destroyed } = request.socket
    if (!known || !pace || request.complete || destroyed) return void bodies.delete(visit)
    pace.excuse(blindMs)
    pace.record(bytesRead - known.bytesRead)
    known.bytesRead = bytesRead
    if (response.writableFinished) {
      known.answeredAt ??= performance.now()
      // Nobody reads it, so drop the rest.
      if (performance.now() - known.answeredAt > drainMs || pace.isOver()) request.socket.destroy()
    } else if (request.isPaused()) pace.hold()
    else if (pace.isOver()) visit.giveUpBody()
  }

  function lookAtAnswer({ response, oldestLeaving }: Visit) {
    if (!oldestLeaving) return
    const { bytes, since } = oldestLeaving
    const allowedMs = patienceMs + (bytes / bytesPerSecondMin) * 1_000
    if (performance.now() - since > allowedMs) response.destroy()
  }

  const timer = setInterval(() => {
    const now = performance.now()
    // If this process stalled, bytes that came meanwhile are read only after this.
    const blindMs = Math.max(0, now - state.lookedAt - everyMs)
    state.lookedAt = now
    for (const visit of bodies.keys()) lookAtBody(visit, blindMs)
    for (const visit of answers) lookAtAnswer(visit)
  }, everyMs).unref()

  return {
    watchBody(visit: Visit) {
      const { bytesRead } = visit.request.socket
      bodies.set(visit, { bytesRead, answeredAt: undefined })
    },
    /** Call for each written piece of an answer; watched until the answer closes. */
    watchAnswer(visit: Visit) {
      if (answers.has(visit)) return
      answers.add(visit)
      visit.onClose(() => answers.delete(visit))
    },
    close: () => clearInterval(timer),
  }
}
