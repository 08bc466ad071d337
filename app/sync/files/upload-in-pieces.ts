import { limits } from '../../../schema/limits.ts'
import { ApiError } from '../../api/api-error.ts'
import { joinSignals } from '../../api/join-signals.ts'
import type { RequestCalls, Uploaded } from '../requests/request-calls.ts'

const leastBytes = limits.uploadPieceBytes
/** More at once would gain little, and show less of how far it has come. */
const mostBytes = 16 * leastBytes
/** On a slower line than that, every request carries as little as can be stored. */
const quickMs = 1_000

type Calls = Pick<RequestCalls['messages'], 'upload' | 'beginUpload' | 'continueUpload'>

/**
 * Takes a file to the server in as many requests as it takes, from where an earlier try has come to. A small one goes in
 * one request, and so does any to a server that knows of nothing else.
 * @param given.key the same one again is the same upload
 * @param given.closing ends what `signal` leaves: where the file is cancelled, the server must not hear of its end before
 * its beginning
 * @param given.onBegin from then on the server may hold a part of it, until it has all or is told that it ends
 * @param given.onProgress told how much of it the server holds, from 0 to 1
 */
export async function uploadInPieces(given: {
  calls: Calls
  file: Blob
  filename: string
  key: string
  signal: AbortSignal
  closing: AbortSignal
  now: () => number
  onBegin: () => void
  onProgress: (share: number) => void
}): Promise<Uploaded> {
  const { calls, file, filename, key, signal, closing, now, onBegin, onProgress } = given
  const whole = () => calls.upload({ file, filename }, { key, signal })
  if (file.size <= leastBytes) return await whole()
  onBegin()
  const upload = { uploadId: key, size: file.size, filename }
  const beginning = askOnce(closing, (own) => calls.beginUpload(upload, { signal: own }))
  const found = await beginning.catch((cause: unknown) => {
    if (!isUnknownCall(cause)) throw cause
  })
  signal.throwIfAborted()
  if (!found) return await whole()
  let soFar = found
  let bytes = leastBytes
  while (!soFar.file) {
    const { offset } = soFar
    onProgress(offset / file.size)
    const begunAt = now()
    const part = file.slice(offset, offset + bytes)
    const given = { uploadId: key, offset, bytes: part }
    soFar = await askOnce(signal, (own) => calls.continueUpload(given, { signal: own }))
    if (!soFar.file && soFar.offset <= offset) throw noProgress()
    const isQuick = now() - begunAt < quickMs
    bytes = isQuick ? Math.min(2 * bytes, mostBytes) : leastBytes
  }
  return soFar.file
}

/** Whoever answers like that would be sent the same bytes for ever: it is tried again after a while. */
function noProgress(): ApiError {
  return new ApiError({ status: 200, code: 'unreadable', words: 'Failed to upload media' })
}

/** A request that is over listens to nothing: there are many of one file. */
async function askOnce<Answer>(
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const over = new AbortController()
  try {
    return await ask(joinSignals([signal, over.signal]))
  } finally {
    over.abort()
  }
}

/** The server is older than this app. */
export function isUnknownCall(cause: unknown): boolean {
  return cause instanceof ApiError && ['not_found', 'method_not_allowed'].includes(cause.code)
}
