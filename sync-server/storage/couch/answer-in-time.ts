import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { StorageUnavailable } from '../documents/storage-errors.ts'

export interface TimeLimits {
  /** The longest wait for an answer's beginning, and between two parts of it. */
  silentMs: number
  /** The longest time for the whole answer, however steadily it comes. */
  longestMs: number
}

/**
 * A process that stood still finds its timers due before it reads what came in that time: it reads this long, and for so
 * many turns of the event loop, before it calls the other side silent.
 */
const lookAgain = { ms: 100, turns: 20 }

/**
 * Fetches and reads a whole answer. Cancels a connection that falls silent, before the answer or in
 * the middle of it.
 * @param giveUp cancels with a StorageUnavailable
 * @throws StorageUnavailable past a limit, or without a complete answer
 */
export async function answerInTime(options: {
  url: string | URL
  init: RequestInit
  limits: TimeLimits
  giveUp: AbortController
}): Promise<Response> {
  const { url, init, limits, giveUp } = options
  const { silentMs, longestMs } = limits
  const heard = { parts: 0, isOver: false }
  const silent = setTimeout(() => void giveUpIfSilent(), silentMs)
  const longest = setTimeout(() => giveUp.abort(tooLate('has taken', longestMs)), longestMs)

  async function giveUpIfSilent() {
    const { parts } = heard
    await wait(lookAgain.ms, undefined, { ref: false })
    for (let turn = 0; turn < lookAgain.turns; turn += 1) await nextTurn()
    if (heard.parts > parts || heard.isOver) return
    giveUp.abort(tooLate('has been silent for', silentMs))
  }

  try {
    const response = await fetch(url, { ...init, signal: giveUp.signal })
    const parts: Uint8Array<ArrayBuffer>[] = []
    heard.parts += 1
    silent.refresh()
    for await (const part of response.body ?? []) {
      heard.parts += 1
      silent.refresh()
      parts.push(part)
    }
    const { status, statusText, headers } = response
    const body = response.body && new Blob(parts)
    return new Response(body, { status, statusText, headers })
  } catch (error) {
    throw error instanceof StorageUnavailable ? error : outOfReach(error)
  } finally {
    clearTimeout(silent)
    heard.isOver = true
    clearTimeout(longest)
  }
}

function outOfReach(error: unknown) {
  const { message, cause } = error as Error
  const reason = cause instanceof Error ? cause.message || nameCode(cause) : message
  return new StorageUnavailable(`CouchDB cannot be reached: ${reason}`, { cause: error })
}

const nameCode = (error: NodeJS.ErrnoException) => error.code ?? error.name

function tooLate(what: string, limitMs: number) {
  return new StorageUnavailable(`CouchDB ${what} ${limitMs / 1000} s; the request was given up.`)
}
