import { StorageUnavailable } from '../documents/storage-errors.ts'

export interface TimeLimits {
  /** The longest wait for an answer's beginning, and between two parts of it. */
  silentMs: number
  /** The longest time for the whole answer, however steadily it comes. */
  longestMs: number
}

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
  const silent = setTimeout(() => giveUp.abort(tooLate('has been silent for', silentMs)), silentMs)
  const longest = setTimeout(() => giveUp.abort(tooLate('has taken', longestMs)), longestMs)
  try {
    const response = await fetch(url, { ...init, signal: giveUp.signal })
    const parts: Uint8Array<ArrayBuffer>[] = []
    for await (const part of response.body ?? []) {
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
